import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLaboratory, type Laboratory } from "./laboratory.ts";
import { whyNoContainers } from "./needs.ts";
import { needs } from "../testing/needs.ts";

const sh = (script: string): readonly string[] => ["sh", "-c", script];
/** Needs no capability: only a filter of system calls is in its way. */
const makeNamespace = "unshare -U true 2>&1; echo $?; grep Seccomp: /proc/self/status";

describe("what a container may do", needs(whyNoContainers()), () => {
  let lab: Laboratory;
  beforeAll(async () => {
    lab = await openLaboratory();
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
  });
  const output = async (wish: Parameters<Laboratory["run"]>[0]): Promise<string> => {
    const id = await lab.run(wish);
    await lab.ended(id);
    return (await lab.log(id)).replaceAll(/^std(?:out|err) F /gmu, "");
  };

  it("everything without a seccomp profile", async () => {
    expect(await output({ command: sh(makeNamespace) })).toBe("0\nSeccomp:\t0\n");
  });

  it("no new namespaces with RuntimeDefault", async () => {
    const text = await output({ command: sh(makeNamespace), seccomp: "RuntimeDefault" });
    expect(text).toMatch(/not permitted/u);
    expect(text).toMatch(/\n1\nSeccomp:\t2\n$/u);
  });

  it("everything with RuntimeDefault, if it is privileged", async () => {
    const text = await output({ command: sh(makeNamespace), seccomp: "RuntimeDefault", privileged: true });
    expect(text).toMatch(/Seccomp:\t0\n$/u);
  });

  it("what a profile of its own says", async () => {
    const profile = {
      defaultAction: "SCMP_ACT_ALLOW",
      syscalls: [{ names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO" }],
    };
    const text = await output({
      command: sh("mkdir /x 2>&1; grep Seccomp: /proc/self/status"),
      seccomp: profile,
    });
    expect(text).toMatch(/not permitted\nSeccomp:\t2\n$/u);
  });

  it.each([
    ["redis:7.0", "redis-server", "redis-cli"],
    ["valkey/valkey:9.1", "valkey-server", "valkey-cli"],
  ])("with RuntimeDefault %s serves and writes its files", async (image, server, cli) => {
    const command = [server, "--port", "0", "--unixsocket", "/tmp/s", "--dir", "/tmp", "--appendonly", "yes"];
    const id = await lab.run({ image, command, seccomp: "RuntimeDefault" });
    const ask = async (...words: readonly string[]) =>
      (await lab.exec(id, cli, "-s", "/tmp/s", ...words)).stdout.trim();
    await expect.poll(() => ask("ping")).toBe("PONG");
    expect(await ask("set", "a", "1")).toBe("OK");
    expect(await ask("save")).toBe("OK");
    expect(await ask("bgrewriteaof")).toContain("rewriting");
    const { pid = 0 } = (await lab.runtime.inspect(id)) ?? {};
    expect(readFileSync(`/proc/${pid}/status`, "utf8")).toContain("Seccomp:\t2\n");
    await lab.runtime.remove(id);
  });

  it("as many processes as its pod is allowed", async () => {
    const id = await lab.run({ command: ["sleep", "1000"], podUid: "pod-pids" });
    const { pid = 0 } = (await lab.runtime.inspect(id)) ?? {};
    const group = /^\d+:(?:pids)?:(\/.*)$/mu.exec(readFileSync(`/proc/${pid}/cgroup`, "utf8"))?.[1] ?? "";
    const folders = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"].map((root) => join(root, group, "../pids.max"));
    const limits = folders.flatMap((file) => {
      try {
        return [readFileSync(file, "utf8").trim()];
      } catch {
        return [];
      }
    });
    expect(limits).toEqual(["4096"]);
    await lab.runtime.remove(id);
  });

  it("keeps its input open if so wished", async () => {
    const closed = await lab.run({ command: ["cat"] });
    expect((await lab.ended(closed)).exitCode).toBe(0);
    const open = await lab.run({ command: ["cat"], stdin: "always" });
    expect((await lab.exec(open, "true")).code).toBe(0);
    expect((await lab.runtime.inspect(open))?.state).toBe("running");
    await lab.runtime.remove(open);
    const shell = await lab.run({ command: ["sh"], stdin: "once", tty: true });
    expect((await lab.exec(shell, "true")).code).toBe(0);
    expect((await lab.runtime.inspect(shell))?.state).toBe("running");
    await lab.runtime.remove(shell);
  });

  it("and its environment is for nobody else to read", async () => {
    const id = await lab.run({ command: ["true"], environment: { PASSWORD: "secret" } });
    const folder = join(lab.folder, "runtime/containers");
    const modes = [
      folder,
      join(folder, id),
      join(folder, id, "config.json"),
      join(folder, id, "container.json"),
    ];
    const found = await Promise.all(modes.map(async (path) => (await stat(path)).mode & 0o777));
    expect(found).toEqual([0o700, 0o700, 0o600, 0o600]);
  });
});
