import { describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../testing/start-server.ts";

const merge = { headers: { "content-type": "application/merge-patch+json" } };

describe("namespaces", () => {
  const maps = "/api/v1/namespaces/going/configmaps";

  /** A server with a namespace that goes, and an object in it. */
  async function start(): Promise<TestServer> {
    const server = await startServer();
    await server.ask("POST", "/api/v1/namespaces", { metadata: { name: "going" } });
    await server.ask("POST", maps, { metadata: { name: "a" } });
    await server.ask("DELETE", "/api/v1/namespaces/going");
    return server;
  }

  it("have to be there", async () => {
    await using server = await startServer();
    const { status, body } = await server.ask("POST", "/api/v1/namespaces/none/configmaps", {
      metadata: { name: "a" },
    });
    expect([status, body.message]).toEqual([404, 'namespaces "none" not found']);
  });

  it("take nothing new while they go, and say why", async () => {
    await using server = await start();
    const { status, body } = await server.ask("POST", maps, { metadata: { name: "b" } });
    expect(status).toBe(403);
    expect(body.message).toBe(
      'configmaps "b" is forbidden: unable to create new content in namespace going because it is being terminated',
    );
    expect(body["details"]).toMatchObject({ causes: [{ reason: "NamespaceTerminating" }] });
  });

  it("let go of what is in them while they go", async () => {
    await using server = await start();
    expect((await server.ask("PATCH", `${maps}/a`, { data: { x: "1" } }, merge)).status).toBe(200);
    expect((await server.ask("DELETE", `${maps}/a`)).status).toBe(200);
  });

  it.each(["default", "kube-system", "kube-public"])(
    "stay for good when they are called %s",
    async (name) => {
      await using server = await startServer();
      const { status, body } = await server.ask("DELETE", `/api/v1/namespaces/${name}`);
      expect([status, body.message]).toEqual([
        403,
        `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      ]);
    },
  );
});

describe("claims that are bound", () => {
  const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  const size = (storage: string) => ({ resources: { requests: { storage } } });

  /** A server with a bound claim of a class that can grow its volumes, or cannot. */
  async function start(allowVolumeExpansion: boolean): Promise<TestServer> {
    const server = await startServer();
    await server.ask("POST", "/apis/storage.k8s.io/v1/storageclasses", {
      metadata: { name: "c" },
      provisioner: "p",
      allowVolumeExpansion,
    });
    const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "c", volumeName: "v", ...size("1Gi") };
    await server.ask("POST", claims, { metadata: { name: "a" }, spec });
    await server.ask("PATCH", `${claims}/a/status`, { status: { phase: "Bound" } }, merge);
    return server;
  }

  it("grow where their class allows it", async () => {
    await using server = await start(true);
    expect((await server.ask("PATCH", `${claims}/a`, { spec: size("2Gi") }, merge)).status).toBe(200);
  });

  it("grow nowhere else", async () => {
    await using server = await start(false);
    const { status, body } = await server.ask("PATCH", `${claims}/a`, { spec: size("2Gi") }, merge);
    expect([status, body.message]).toEqual([
      403,
      'persistentvolumeclaims "a" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    ]);
  });

  it("are told first what is wrong by itself", async () => {
    await using server = await start(false);
    const { status } = await server.ask(
      "PATCH",
      `${claims}/a`,
      { spec: { ...size("2Gi"), volumeName: "other" } },
      merge,
    );
    expect(status).toBe(422);
  });
});

describe("pods and their runtime class", () => {
  const pods = "/api/v1/namespaces/default/pods";
  const containers = [{ name: "c", image: "c:1" }];

  it.each([
    [{ runtimeClassName: "none" }, 'pod rejected: RuntimeClass "none" not found'],
    [
      { overhead: { cpu: "1" } },
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    ],
  ])("%o is refused", async (spec, why) => {
    await using server = await startServer();
    await server.ask("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const { status, body } = await server.ask("POST", pods, {
      metadata: { name: "a" },
      spec: { containers, ...spec },
    });
    expect([status, body.message]).toEqual([403, `pods "a" is forbidden: ${why}`]);
  });
});
