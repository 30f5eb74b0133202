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
async function render(pod: string): Promise<string> {
  const script = renderScript.replaceAll(paths.runtime, folder);
  const env = {
    PATH: "/nonexistent",
    POD_NAME: pod,
    PEER_DOMAIN: "cache-headless.shop.svc",
    CONFIG: "0123456789",
  };
  await run("/bin/sh", ["-c", script], { env });
  return readFile(join(folder, "runtime.conf"), "utf8");
}

const common =
  "protected-mode no\naclfile /data/users.acl\nmasteruser kedge-replication\ninclude /run/redis/replication.conf\n";

describe("what the init container renders", () => {
  it("is the same config for each pod, and says which one it is", async () => {
    expect(await render("cache-0")).toBe(common);
    expect(await render("cache-10")).toBe(common);
    expect(await readFile(join(folder, "pod"), "utf8")).toBe(
      "pod=cache-10\ndomain=cache-headless.shop.svc\nconfig=0123456789\n",
    );
  });

  it("can be read by nobody else, and has no password in it", async () => {
    await render("cache-0");
    for (const file of ["runtime.conf", "pod", "cli", "probe-cli", "start-cli"]) {
      const { mode } = await stat(join(folder, file));
      expect(mode & 0o777).toBe(0o600);
    }
    expect(await readFile(join(folder, "cli"), "utf8")).toContain(
      "IFS= read -r REDISCLI_AUTH < /usr/local/etc/redis-system/cli\n",
    );
  });
});
