import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadArchive } from "@kedge/node";
import { buildImage, dockerArchive } from "@kedge/node/testing/oci-image";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { startImageCluster, type ImageCluster } from "./testing/image-cluster.ts";

describe("an image that was loaded", needs(whyNoContainers()), () => {
  let cluster: ImageCluster;
  beforeAll(async () => {
    cluster = await startImageCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const endOf = async (name: string) => {
    const { status } = await cluster.pod(name);
    return status?.containerStatuses?.[0]?.state?.terminated;
  };

  async function load(tag: string, config: object): Promise<string> {
    const layers = [
      [
        { name: "bin/busybox", content: cluster.busybox, mode: 0o755 },
        { name: "bin/sh", type: "symlink", linkName: "busybox" } as const,
        { name: "etc/passwd", type: "symlink", linkName: "/usr/share/accounts" } as const,
        { name: "usr/share/accounts", content: "root:x:0:0::/:\nshop:x:1234:1235::/srv:/bin/sh\n" },
        { name: "secret", content: "not for the next layer" },
      ],
      [
        { name: ".wh.secret" },
        { name: "srv/", uid: 1234, gid: 1235 },
        { name: "data/", uid: 1234, gid: 1235 },
        { name: "data/seed", content: "seed", uid: 1234, gid: 1235 },
      ],
    ];
    const image = buildImage({
      layers,
      architecture: cluster.architecture,
      config: { Env: ["PATH=/bin", "SHOP=open"], User: "shop", WorkingDir: "/srv", ...config },
    });
    const path = join(cluster.folder, `${tag}.tar`);
    await writeFile(path, dockerArchive([{ image, tags: [`shop:${tag}`] }]));
    await loadArchive(cluster.store, path);
    return image.id;
  }

  it("runs with its entry point, command, environment, user and folder", async () => {
    const script =
      'echo "$0 $SHOP $(busybox id -u):$(busybox id -g) $(busybox pwd) $(busybox ls / | busybox grep secret)" > /dev/termination-log';
    const id = await load("1", { Entrypoint: ["sh", "-c", script], Cmd: ["hello"] });
    await cluster.run("plain", { containers: [{ name: "app", image: "shop:1" }] });
    await expect.poll(async () => (await endOf("plain"))?.message).toBe("hello open 1234:1235 /srv \n");
    await cluster.run("args", {
      containers: [{ name: "app", image: "shop:1", args: ["you"], env: [{ name: "SHOP", value: "shut" }] }],
    });
    await expect.poll(async () => (await endOf("args"))?.message).toBe("you shut 1234:1235 /srv \n");
    expect((await cluster.pod("plain")).status?.containerStatuses?.[0]).toMatchObject({
      image: "shop:1",
      imageID: id,
    });
    await expect
      .poll(() => cluster.events("plain"))
      .toContainEqual(expect.stringMatching(/^Pulled: Container image "shop:1" already present on machine/u));
  });

  it("is stopped by its own signal", async () => {
    const script =
      "trap 'echo by USR1 > /dev/termination-log; exit 0' USR1; trap 'exit 9' TERM; busybox touch /marks/up; while :; do busybox sleep 0.1; done";
    await load("2", { Cmd: ["sh", "-c", script], StopSignal: "SIGUSR1" });
    const marks = join(cluster.folder, "marks");
    await mkdir(marks);
    await chmod(marks, 0o777);
    await cluster.run("stopped", {
      containers: [{ name: "app", image: "shop:2", volumeMounts: [{ name: "marks", mountPath: "/marks" }] }],
      volumes: [{ name: "marks", hostPath: { path: marks } }],
    });
    await expect.poll(() => existsSync(join(marks, "up"))).toBe(true);
    const key = { namespace: "default", name: "stopped" };
    await cluster.client.of(Pod).patch(key, { merge: { spec: { activeDeadlineSeconds: 1 } } });
    await expect.poll(async () => (await endOf("stopped"))?.message).toBe("by USR1\n");
    expect((await endOf("stopped"))?.exitCode).toBe(0);
  });

  it("writes to its volumes even where its root is read-only, each container to its own", async () => {
    const script =
      "busybox touch /srv/x || echo root is closed >> /dev/termination-log; echo $(busybox cat /data/seed) > /data/new; busybox cat /data/new >> /dev/termination-log";
    await load("3", { Cmd: ["sh", "-c", script], Volumes: { "/data": {} } });
    const securityContext = { readOnlyRootFilesystem: true };
    await cluster.run("volumes", { containers: [{ name: "app", image: "shop:3", securityContext }] });
    await expect.poll(async () => (await endOf("volumes"))?.message).toBe("root is closed\nseed\n");
  });

  it("cannot be removed while a pod runs on it, and can be afterwards", async () => {
    await load("4", { Cmd: ["sh", "-c", "while :; do busybox sleep 0.1; done"] });
    await cluster.run("user", {
      containers: [{ name: "app", image: "shop:4" }],
      terminationGracePeriodSeconds: 0,
    });
    await expect.poll(async () => (await cluster.pod("user")).status?.phase).toBe("Running");
    expect((await cluster.store.remove(["shop:4"])).inUse).toHaveLength(1);
    await cluster.client.of(Pod).delete({ namespace: "default", name: "user" }, { gracePeriodSeconds: 0 });
    await expect.poll(async () => (await cluster.store.remove(["shop:4"])).inUse.length).toBe(0);
  });

  it("that is not there keeps a pod with the policy Never waiting", async () => {
    await cluster.run("never", { containers: [{ name: "app", image: "shop:9", imagePullPolicy: "Never" }] });
    const waiting = async () => (await cluster.pod("never")).status?.containerStatuses?.[0]?.state?.waiting;
    await expect.poll(waiting).toEqual({
      reason: "ErrImageNeverPull",
      message: 'Container image "shop:9" is not present with pull policy of Never',
    });
  });
});
