import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Pod, type Container, type PodSpec } from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startOneProcessCluster, type OneProcessCluster } from "../journey/testing/one-process-cluster.ts";
import { until } from "../real/wait.ts";
import { whyNoContainers } from "./needs.ts";
import { needs } from "../testing/needs.ts";

/** What a pod may reach of its machine, tried from inside and from beside. */
describe("a pod stays where it belongs", needs(whyNoContainers()), () => {
  let cluster: OneProcessCluster;
  beforeAll(async () => {
    cluster = await startOneProcessCluster();
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  const keyOf = (name: string) => ({ namespace: "default", name });
  const get = (name: string): Promise<Pod> => cluster.admin.of(Pod).get(keyOf(name));
  const create = async (name: string, spec: PodSpec): Promise<Pod> =>
    await cluster.admin.of(Pod).create({ metadata: keyOf(name), spec });
  const shell = (script: string, more: Partial<Container> = {}): Container => ({
    name: "main",
    image: "busybox:1.35",
    command: ["sh", "-c", script],
    ...more,
  });
  const folderOf = (pod: Pod): string => join(cluster.folder, "node/pods", pod.metadata.uid);
  const message = async (name: string): Promise<string | undefined> =>
    (await get(name)).status?.containerStatuses?.[0]?.state?.terminated?.message;
  const hasEnded = (name: string): Promise<void> =>
    until(`${name} has ended`, async () =>
      ["Succeeded", "Failed"].includes((await get(name)).status?.phase ?? ""),
    );

  it("a part of a volume is the volume's, while a link to / takes turns with it", async () => {
    const volume = join(cluster.folder, "shared");
    await mkdir(join(volume, "d"), { recursive: true });
    await writeFile(join(volume, "d/inside"), "");
    await symlink("/", join(volume, "l"));
    const volumes = [{ name: "v", hostPath: { path: volume } }];
    const names = Array.from({ length: 6 }, (_value, number) => `part-${number}`);
    // A container can do this faster by renameat2; busybox cannot, and takes a name away in between.
    const turns = "mv -T d x; mv -T l d || { rm -rf d; mv -T l d; }; mv -T x l";
    await create("attacker", {
      terminationGracePeriodSeconds: 0,
      containers: [
        shell(`cd /v; while true; do ${turns}; done`, { volumeMounts: [{ name: "v", mountPath: "/v" }] }),
      ],
      volumes,
    });
    await until("the attacker runs", async () => (await get("attacker")).status?.phase === "Running");
    for (const name of names) {
      await create(name, {
        restartPolicy: "Never",
        containers: [
          shell("ls /part > /dev/termination-log", {
            volumeMounts: [{ name: "v", mountPath: "/part", subPath: "d" }],
          }),
        ],
        volumes,
      });
    }
    // Those that met the link are refused; whether a later attempt has more luck is not waited for.
    const outcome = async (name: string): Promise<string | undefined> => {
      const { waiting, terminated } = (await get(name)).status?.containerStatuses?.[0]?.state ?? {};
      if (waiting?.reason === "CreateContainerConfigError") return waiting.message;
      return terminated && `saw ${terminated.message ?? "nothing"}`;
    };
    for (const name of names) {
      let seen: string | undefined;
      await until(`${name} has ended or is refused`, async () => {
        seen = await outcome(name);
        return seen !== undefined;
      });
      expect(seen).toMatch(/^failed to prepare subPath|^saw (nothing|inside\n)$/v);
    }
    await cluster.admin.of(Pod).delete(keyOf("attacker"), { gracePeriodSeconds: 0 });
  });

  it("parts of volumes can be files and folders that are not there yet, and leave no mount behind", async () => {
    const pod = await create("parts", {
      restartPolicy: "Never",
      securityContext: { runAsUser: 1234 },
      containers: [
        shell("cat /file && echo x > /a/b/c && mkdir /a/b/d && echo done > /dev/termination-log", {
          volumeMounts: [
            { name: "v", mountPath: "/a/b", subPath: "x/y" },
            { name: "info", mountPath: "/file", subPath: "name" },
          ],
        }),
      ],
      volumes: [
        { name: "v", emptyDir: {} },
        {
          name: "info",
          downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] },
        },
      ],
    });
    await hasEnded("parts");
    expect(await message("parts")).toBe("done\n");
    expect(await readFile("/proc/self/mountinfo", "utf8")).not.toContain(`${folderOf(pod)}/subpaths`);
  });

  it("a pod that writes more than it may is thrown out", async () => {
    await create("writer", {
      terminationGracePeriodSeconds: 0,
      containers: [
        shell("dd if=/dev/zero of=/large bs=1M count=5 && sleep 1000", {
          resources: { limits: { "ephemeral-storage": "1Mi" } },
        }),
      ],
    });
    await hasEnded("writer");
    const { status } = await get("writer");
    expect(status?.reason).toBe("Evicted");
    expect(status?.message).toContain("exceeds the total limit of containers 1Mi");
  });

  it("a long log is kept in files of its own, and read as one", async () => {
    const pod = await create("chatty", {
      terminationGracePeriodSeconds: 0,
      containers: [
        shell(`
          awk 'BEGIN { for (i = 1; i <= 200000; i++) print "a line of the log with the number " i }'
          while true; do echo more; sleep 1; done
        `),
      ],
    });
    const logs = join(folderOf(pod), "logs/main");
    const files = async (): Promise<readonly string[]> => await readdir(logs).catch(() => []);
    await until("the log was rotated", async () => (await files()).length > 1);
    await until("it goes on in a new file", async () =>
      (await readFile(join(logs, "0.log"), "utf8").catch(() => "")).includes("more"),
    );
    const text = await cluster.admin.of(Pod).log.text(keyOf("chatty"));
    const lines = text.split("\n");
    expect(lines[0]).toBe("a line of the log with the number 1");
    expect(lines[199_999]).toBe("a line of the log with the number 200000");
    expect(new Set(lines.slice(200_000))).toEqual(new Set(["more", ""]));
    const tail = await cluster.admin
      .of(Pod)
      .log.text(keyOf("chatty"), { tailLines: lines.length - 200_000 + 5 });
    expect(tail).toContain("the number 200000\nmore\n");
  });

  it("its files are closed to other users of the machine", async () => {
    const paths = ["node", "node/pods", "node/containers"].map((path) => join(cluster.folder, path));
    const modes = await Promise.all(paths.map(async (path) => (await stat(path)).mode & 0o777));
    expect(modes).toEqual([0o700, 0o700, 0o700]);
  });
});
