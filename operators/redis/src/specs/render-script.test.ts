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
    CONFIG: "0123456789",
    AUTH_ENABLED: "false",
    DEFAULT_PASSWORD_HASHES: "#hash",
    SYSTEM_USERS: "user kedge-probe on",
    PROBE_PASSWORD: "b",
    REPLICATION_PASSWORD: "r",
    START_PASSWORD: "s",
    ...env,
  };
  await run("/bin/sh", ["-c", script], { env: environment });
  return readFile(join(folder, "runtime.conf"), "utf8");
}

const common = 'aclfile /data/users.acl\nmasteruser kedge-replication\nmasterauth "r"\n';

describe("what the init container renders", () => {
  it.each([
    ["open", { REDIS_PASSWORD: "p" }, "user default on nopass ~* &* +@all\nuser kedge-probe on\n"],
    [
      "with a password, of which the volume gets the hash",
      { AUTH_ENABLED: "true", REDIS_PASSWORD: "s3 cr$t'", DEFAULT_PASSWORD_HASHES: "#1 #2" },
      "user default on #1 #2 ~* &* +@all\nuser kedge-probe on\n",
    ],
  ])("is the same for each pod: %s", async (_what, env, users) => {
    expect(await render({ POD_NAME: "cache-0", ...env })).toBe(common);
    expect(await readFile(join(folder, "system-users.acl"), "utf8")).toBe(users);
    expect(await render({ POD_NAME: "cache-10", ...env })).toBe(common);
  });

  it("can be read by nobody else", async () => {
    await render({ POD_NAME: "cache-0", AUTH_ENABLED: "true", REDIS_PASSWORD: "p" });
    for (const file of [
      "runtime.conf",
      "password",
      "pod",
      "cli",
      "system-users.acl",
      "kedge-probe",
      "kedge-start",
    ]) {
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
