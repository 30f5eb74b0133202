import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { paths } from "../names.ts";
import { renderScript } from "./render-script.ts";

const run = promisify(execFile);
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-render-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** With nothing on PATH: the script has no other program than the shell. */
async function render(env: Readonly<Record<string, string>>): Promise<string> {
  const script = renderScript.replaceAll(paths.runtime, folder);
  const environment = {
    PATH: "/nonexistent",
    PEER_DOMAIN: "cache-headless.shop.svc",
    AUTH_ENABLED: "false",
    ...env,
  };
  await run("/bin/sh", ["-c", script], { env: environment });
  return readFile(join(folder, "runtime.conf"), "utf8");
}

describe("what the init container renders", () => {
  it.each([
    ["the primary, open", { POD_NAME: "cache-0" }, ""],
    [
      "the primary, with a password",
      { POD_NAME: "cache-0", AUTH_ENABLED: "true", REDIS_PASSWORD: "s3 cr$t'" },
      `requirepass "s3 cr$t'"\nmasteruser default\nmasterauth "s3 cr$t'"\n`,
    ],
    [
      "a replica",
      { POD_NAME: "cache-10", AUTH_ENABLED: "true", REDIS_PASSWORD: "p" },
      'requirepass "p"\nmasteruser default\nmasterauth "p"\nreplicaof cache-0.cache-headless.shop.svc 6379\n',
    ],
    ["an open replica", { POD_NAME: "cache-1" }, "replicaof cache-0.cache-headless.shop.svc 6379\n"],
    [
      "an open replica whose primary may still ask for a password",
      { POD_NAME: "cache-1", REDIS_PASSWORD: "p" },
      'masteruser default\nmasterauth "p"\nreplicaof cache-0.cache-headless.shop.svc 6379\n',
    ],
  ])("%s", async (_what, env, expected) => {
    expect(await render(env)).toBe(expected);
  });

  it("can be read by nobody else", async () => {
    await render({ POD_NAME: "cache-0", AUTH_ENABLED: "true", REDIS_PASSWORD: "p" });
    for (const file of ["runtime.conf", "password", "pod", "cli"]) {
      const { mode } = await stat(join(folder, file));
      expect(mode & 0o777).toBe(0o600);
    }
    expect(await readFile(join(folder, "password"), "utf8")).toBe("p\n");
  });

  it.each(['a"b', String.raw`a\b`, "a\nuser evil on"])(
    "refuses the password %j without repeating it",
    async (password) => {
      const refused = await render({ POD_NAME: "cache-0", REDIS_PASSWORD: password }).catch(
        (error: unknown) => error,
      );
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect((refused as { stderr: string }).stderr).toBe(
        "The password in the Secret has a quote, a backslash or a line break: choose one without.\n",
      );
    },
  );
});
