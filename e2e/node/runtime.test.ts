import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { describeRuntime, type TestLife } from "@kedge/node/testing/runtime-conformance";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLaboratory, type ContainerWish, type Laboratory } from "./laboratory.ts";
import { whyNoContainers } from "./needs.ts";
import { needs } from "../testing/needs.ts";

const sh = (script: string): readonly string[] => ["sh", "-c", script];

const lives: Readonly<Record<TestLife, ContainerWish>> = {
  obeys: { command: sh("trap 'exit 143' TERM; while :; do sleep 0.01; done") },
  deaf: { command: sh("trap '' TERM; while :; do sleep 0.01; done") },
  ends: { command: sh("sleep 0.1; exit 3") },
  greedy: { command: sh("tail /dev/zero"), resources: { memoryLimitBytes: 16 * 1024 * 1024 } },
};

describe("runc", needs(whyNoContainers()), () => {
  describeRuntime(async () => {
    const lab = await openLaboratory();
    return {
      runtime: lab.runtime,
      create: async (id, life, labels) => void (await lab.create({ id, labels, ...lives[life] })),
      [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
    };
  });
});

describe("a container runtime", needs(whyNoContainers()), () => {
  let lab: Laboratory;
  beforeAll(async () => {
    lab = await openLaboratory();
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
  });

  describe("runs a container", () => {
    it("and writes its output as the kubelet does", async () => {
      const id = await lab.run({ command: sh("echo one; echo two >&2; printf three") });
      await lab.ended(id);
      const lines = (await lab.log(id)).trimEnd().split("\n").toSorted();
      expect(lines).toEqual(["stderr F two", "stdout F one", "stdout P three"].toSorted());
    });

    it("with its environment, working directory, host name and user", async () => {
      const id = await lab.run({
        command: sh("echo $COLOUR:$(pwd):$(hostname):$(id -u):$(id -g):$(id -G)"),
        environment: { COLOUR: "red", PATH: "/bin" },
        workingDirectory: "/var/new",
        hostname: "redis-0",
        user: { uid: 999, gid: 998, additionalGids: [2000] },
      });
      await lab.ended(id);
      expect(await lab.log(id)).toBe("stdout F red:/var/new:redis-0:999:998:998 2000\n");
    });

    it("with its volumes, some of them read-only", async () => {
      const volume = join(lab.folder, "volume");
      await mkdir(volume, { recursive: true });
      await writeFile(join(volume, "in"), "from outside\n");
      const id = await lab.run({
        command: sh("cat /data/in; echo from inside >/data/out; touch /ro/x || echo refused"),
        mounts: [
          { source: volume, target: "/data", readOnly: false },
          { source: volume, target: "/ro", readOnly: true },
        ],
      });
      await lab.ended(id);
      expect(await lab.log(id)).toContain("stdout F from outside\n");
      expect(await lab.log(id)).toContain("stdout F refused\n");
      expect(await readFile(join(volume, "out"), "utf8")).toBe("from inside\n");
    });

    it("whose changes to the image are its own", async () => {
      const first = await lab.run({ command: sh("echo mine >/etc/passwd; rm /bin/busybox; exit 0") });
      expect((await lab.ended(first)).exitCode).toBe(0);
      const second = await lab.run({ command: sh("cat /etc/passwd") });
      await lab.ended(second);
      expect(await lab.log(second)).toContain("root:x:0:0");
    });

    it("whose root cannot be written to when it is read-only", async () => {
      const id = await lab.run({ command: sh("touch /file || exit 7"), readOnlyRootFilesystem: true });
      expect((await lab.ended(id)).exitCode).toBe(7);
    });

    it("and refuses a command that the image has not got, leaving nothing", async () => {
      await expect(lab.create({ id: "missing", command: ["no-such-program"] })).rejects.toMatchObject({
        code: "CREATE_FAILED",
        message: expect.stringContaining("executable file not found") as string,
      });
      expect(await lab.runtime.inspect("missing")).toBeUndefined();
    });
  });

  describe("limits a container", () => {
    it("to its share of the processor", async () => {
      const id = await lab.run({
        command: ["sleep", "1000"],
        resources: { cpuQuotaMicroseconds: 20_000, cpuPeriodMicroseconds: 100_000, cpuShares: 512 },
      });
      const { stdout } = await lab.exec(
        id,
        ...sh("cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us 2>/dev/null || cut -d' ' -f1 /sys/fs/cgroup/cpu.max"),
      );
      expect(stdout.trim()).toBe("20000");
      await lab.runtime.remove(id);
    });

    it("to the default capabilities, those dropped less, those added more", async () => {
      const mask = async (capabilities: { add: string[]; drop: string[] }): Promise<bigint> => {
        const id = await lab.run({ command: sh("grep CapEff /proc/self/status"), capabilities });
        await lab.ended(id);
        return BigInt(`0x${/CapEff:\s*(\w+)/u.exec(await lab.log(id))?.[1] ?? ""}`);
      };
      expect((await mask({ add: [], drop: [] })).toString(16)).toBe("a80425fb");
      expect(await mask({ add: [], drop: ["ALL"] })).toBe(0n);
      expect(await mask({ add: ["NET_BIND_SERVICE"], drop: ["ALL"] })).toBe(1n << 10n);
    });

    it("to the privileges that it has, if it may not get new ones", async () => {
      const id = await lab.run({ command: sh("grep NoNewPrivs /proc/self/status"), noNewPrivileges: true });
      await lab.ended(id);
      expect(await lab.log(id)).toMatch(/NoNewPrivs:\s*1/u);
    });
  });

  it("ends a container by a signal that its program handles, with the program's own code", async () => {
    const id = await lab.run({
      command: sh("trap 'exit 42' TERM; echo ready; while :; do sleep 0.01; done"),
    });
    // A first process without a handler ignores it.
    while ((await lab.log(id)) !== "stdout F ready\n") await realClock.sleep(5);
    await lab.runtime.signal(id, "SIGTERM");
    expect((await lab.ended(id)).exitCode).toBe(42);
  });

  describe("after a restart of the agent", () => {
    it("containers go on, and are known", async () => {
      const id = await lab.run({
        command: sh("until [ -e /go ]; do sleep 0.01; done; echo still here"),
        labels: { pod: "x" },
      });
      const before = await lab.runtime.inspect(id);
      await lab.restart();
      expect(await lab.runtime.inspect(id)).toEqual(before);
      expect((await lab.runtime.list()).map((container) => container.id)).toContain(id);
      await lab.exec(id, "touch", "/go");
      expect(await lab.ended(id)).toMatchObject({ exitCode: 0, labels: { pod: "x" } });
      expect(await lab.log(id)).toBe("stdout F still here\n");
    });

    it("those that ended meanwhile are told of", async () => {
      const id = await lab.run({ command: sh("exit 5") });
      await lab.ended(id);
      await lab.restart();
      expect((await lab.ended(id)).exitCode).toBe(5);
    });
  });

  it("shows the machine's processes to who is to see them, and ends with the first what it has begun", async () => {
    const command = sh("sleep 7654 & echo $!; test -e /proc/$PARENT; echo $?; sleep 0.1; exit 3");
    const environment = { PARENT: String(process.pid) };
    const id = await lab.run({ command, environment, processNamespace: "host" });
    expect((await lab.ended(id)).exitCode).toBe(3);
    const [child = "", isSeen] = (await lab.log(id)).replaceAll("stdout F ", "").split("\n");
    expect(isSeen).toBe("0");
    // A number of this very machine: it is not there, or has ended and nobody has asked for it yet.
    await expect
      .poll(() => readFile(`/proc/${child}/stat`, "utf8").catch(() => "gone"))
      .toMatch(/^gone$|\) Z /u);
    await lab.runtime.remove(id);
  });

  it("keeps the container's log when it removes it", async () => {
    const id = await lab.run({ command: ["echo", "hello"] });
    await lab.ended(id);
    await lab.runtime.remove(id);
    await lab.runtime.remove(id);
    expect(await lab.runtime.inspect(id)).toBeUndefined();
    expect(await lab.log(id)).toBe("stdout F hello\n");
    await expect(stat(join(lab.folder, "runtime", "containers", id))).rejects.toThrow("ENOENT");
  });
});
