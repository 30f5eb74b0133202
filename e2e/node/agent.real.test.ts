import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isNotFound } from "@kedge/machinery";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import {
  ConfigMap,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  type Container,
  type PodSpec,
} from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kubectlFor } from "../kubectl/testing/kubectl.ts";
import { programPath } from "../real/programs.ts";
import { until } from "../real/wait.ts";
import { openAgentLaboratory, type AgentLaboratory } from "./agent-laboratory.ts";
import { whyNoContainers } from "./needs.ts";
import { needs } from "../testing/needs.ts";

const run = promisify(execFile);

/** The real control plane, our agent as an ordinary node, real containers. */
describe("a node on a real control plane", needs(whyNoContainers()), () => {
  let lab: AgentLaboratory;
  let stopAgent: () => Promise<void>;
  beforeAll(async () => {
    lab = await openAgentLaboratory();
    stopAgent = await lab.startAgent();
  });
  afterAll(async () => {
    await stopAgent();
    await lab[Symbol.asyncDispose]();
  });

  const keyOf = (name: string) => ({ namespace: "default", name });
  const get = (name: string): Promise<Pod> => lab.oracle.admin.of(Pod).get(keyOf(name));
  const create = async (name: string, spec: PodSpec): Promise<void> => {
    await lab.oracle.admin.of(Pod).create({ metadata: keyOf(name), spec });
  };
  const shell = (script: string, more: Partial<Container> = {}): Container => ({
    name: "main",
    image: "busybox:1.35",
    command: ["sh", "-c", script],
    ...more,
  });
  const phaseOf = async (name: string): Promise<string | undefined> => (await get(name)).status?.phase;
  const isReady = async (name: string): Promise<boolean> =>
    (await get(name)).status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const all = ["--kubeconfig", lab.oracle.kubeconfig.path, ...args];
    const { stdout } = await run(programPath("kubectl", process.env), all, { timeout: 240_000 });
    return stdout;
  };
  const isGone = async (name: string): Promise<boolean> =>
    await get(name).then(
      () => false,
      (error: unknown) => isNotFound(error),
    );

  it("registers, is ready, and renews its lease", async () => {
    const node = await lab.oracle.admin.of(Node).get({ name: lab.nodeName });
    expect(node.metadata.labels).toMatchObject({
      "kubernetes.io/hostname": "node-1",
      "kubernetes.io/os": "linux",
    });
    expect(node.status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
    const lease = await lab.oracle.admin.of(Lease).get({ namespace: "kube-node-lease", name: lab.nodeName });
    expect(lease.spec.holderIdentity).toBe(lab.nodeName);
  });

  it("a Redis with an init container, a config map, a secret and probes becomes ready and answers", async () => {
    await lab.oracle.admin
      .of(ConfigMap)
      .create({ metadata: keyOf("conf"), data: { "redis.conf": "maxmemory 10mb" } });
    await lab.oracle.admin.of(Secret).create({ metadata: keyOf("pw"), stringData: { password: "s3cret" } });
    await create("redis", {
      initContainers: [
        {
          ...shell(
            "cat /conf/redis.conf > /work/redis.conf; echo >> /work/redis.conf; echo requirepass $PW >> /work/redis.conf",
          ),
          name: "render",
          env: [{ name: "PW", valueFrom: { secretKeyRef: { name: "pw", key: "password" } } }],
          volumeMounts: [
            { name: "conf", mountPath: "/conf" },
            { name: "work", mountPath: "/work" },
          ],
        },
      ],
      containers: [
        {
          name: "redis",
          image: "redis:7.0",
          command: ["redis-server", "/work/redis.conf"],
          ports: [{ name: "redis", containerPort: 6379 }],
          readinessProbe: { tcpSocket: { port: "redis" } },
          livenessProbe: { exec: { command: ["redis-cli", "-a", "s3cret", "ping"] } },
          volumeMounts: [
            { name: "work", mountPath: "/work" },
            { name: "conf", mountPath: "/conf" },
          ],
        },
      ],
      volumes: [
        { name: "conf", configMap: { name: "conf" } },
        { name: "work", emptyDir: {} },
      ],
    });
    await until("redis is ready", () => isReady("redis"));
    const ping = [
      "exec",
      "redis",
      "-c",
      "redis",
      "--",
      "redis-cli",
      "-a",
      "s3cret",
      "--no-auth-warning",
      "ping",
    ];
    expect(await kubectl(...ping)).toBe("PONG\n");
    expect(await kubectl("logs", "redis", "-c", "redis", "--tail=1")).toContain(
      "Ready to accept connections",
    );
    const connection = await lab.oracle.admin.of(Pod).portforward.connect(keyOf("redis"), { port: 6379 });
    await connection.write(Buffer.from("AUTH s3cret\r\n"));
    for await (const data of connection.readable) {
      expect(Buffer.from(data).toString("utf8")).toBe("+OK\r\n");
      break;
    }
  });

  it.each([
    ["WebSocket", "true"],
    ["SPDY", "false"],
  ])("exec and port-forward come to it through the real server, by %s", async (_wire, isWebSocket) => {
    const env = {
      KUBECTL_REMOTE_COMMAND_WEBSOCKETS: isWebSocket,
      KUBECTL_PORT_FORWARD_WEBSOCKETS: isWebSocket,
    };
    const program = programPath("kubectl", process.env);
    const asked = kubectlFor({ program, kubeconfig: lab.oracle.kubeconfig.path, home: tmpdir(), env });
    const size = "exec -i redis -c redis -- wc -c";
    expect(await asked.ok(size, "x".repeat(100_000))).toBe("100000\n");
    await using forward = asked.follow("port-forward pod/redis :6379");
    const said = await forward.until((output) => output.includes("127.0.0.1:"));
    const port = Number(/127\.0\.0\.1:(\d+)/u.exec(said)?.[1]);
    const socket = connect({ host: "127.0.0.1", port });
    socket.write("AUTH s3cret\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toBe("+OK\r\n");
    socket.destroy();
  });

  it("a changed config map reaches the running container", async () => {
    const patch = { merge: { data: { "redis.conf": "maxmemory 20mb" } } };
    await lab.oracle.admin.of(ConfigMap).patch(keyOf("conf"), patch);
    const read = (): Promise<string> =>
      kubectl("exec", "redis", "-c", "redis", "--", "cat", "/conf/redis.conf");
    await until("the file has changed", async () => (await read()) !== "maxmemory 10mb");
    expect(await read()).toBe("maxmemory 20mb");
  });

  it("a restart of the agent is not noticed by what runs", async () => {
    const before = await get("redis");
    await stopAgent();
    stopAgent = await lab.startAgent();
    const after = await get("redis");
    expect(after.status?.containerStatuses).toEqual(before.status?.containerStatuses);
  });

  it.each<[string, PodSpec, object]>([
    [
      "succeeds",
      { restartPolicy: "Never", containers: [shell("exit 0")] },
      { exitCode: 0, reason: "Completed" },
    ],
    [
      "fails",
      { restartPolicy: "Never", containers: [shell("echo why > /dev/termination-log; exit 3")] },
      { exitCode: 3, reason: "Error", message: "why\n" },
    ],
    [
      "oom",
      {
        restartPolicy: "Never",
        containers: [
          shell("x=a; while true; do x=$x$x; done", { resources: { limits: { memory: "20Mi" } } }),
        ],
      },
      { exitCode: 137, reason: "OOMKilled" },
    ],
    [
      "user",
      {
        restartPolicy: "Never",
        securityContext: { runAsUser: 1234, fsGroup: 777 },
        containers: [
          shell("id -u > /dev/termination-log; stat -c %g /d >> /dev/termination-log; touch /d/x", {
            volumeMounts: [{ name: "d", mountPath: "/d" }],
          }),
        ],
        volumes: [{ name: "d", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } }],
      },
      { exitCode: 0, message: "1234\n777\n" },
    ],
  ])("a pod that runs once: %s", async (name, spec, expected) => {
    await create(name, spec);
    await until(`${name} has ended`, async () =>
      ["Succeeded", "Failed"].includes((await phaseOf(name)) ?? ""),
    );
    expect((await get(name)).status?.containerStatuses?.[0]?.state?.terminated).toMatchObject(expected);
  });

  it("a claim's data outlives the pod", async () => {
    const hostPath = { path: join(lab.folder, "data"), type: "DirectoryOrCreate" };
    const size = { storage: "1Mi" };
    await lab.oracle.admin.of(PersistentVolume).create({
      metadata: { name: "volume" },
      spec: { capacity: size, accessModes: ["ReadWriteOnce"], storageClassName: "", hostPath },
    });
    await lab.oracle.admin.of(PersistentVolumeClaim).create({
      metadata: keyOf("claim"),
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "",
        volumeName: "volume",
        resources: { requests: size },
      },
    });
    await create("writer", {
      restartPolicy: "Never",
      containers: [
        shell("echo kept > /data/x", {
          volumeMounts: [{ name: "data", mountPath: "/data", subPath: "sub" }],
        }),
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "claim" } }],
    });
    await until("writer has ended", async () => (await phaseOf("writer")) === "Succeeded");
    await kubectl("delete", "pod", "writer");
    expect(await readFile(join(hostPath.path, "sub/x"), "utf8")).toBe("kept\n");
  });

  it("who ignores SIGTERM is killed after the grace period, and nothing of it is left", async () => {
    await create("stubborn", {
      terminationGracePeriodSeconds: 2,
      containers: [shell("trap '' TERM; while true; do sleep 0.1; done")],
    });
    await until("stubborn is ready", () => isReady("stubborn"));
    const { uid } = (await get("stubborn")).metadata;
    await kubectl("delete", "pod", "stubborn");
    expect(await isGone("stubborn")).toBe(true);
    await until(
      "its folder is gone",
      async () => !(await readdir(join(lab.folder, "node/pods"))).includes(uid),
    );
    expect(await lab.network.attached()).not.toContain(uid);
    expect(
      (await lab.runtime.list()).filter(({ labels }) => labels["io.kubernetes.pod.uid"] === uid),
    ).toEqual([]);
  });

  it("what was deleted while no agent ran is cleaned up by the next", async () => {
    await create("orphan", { containers: [shell("sleep 1000")] });
    await until("orphan is ready", () => isReady("orphan"));
    const { uid } = (await get("orphan")).metadata;
    await stopAgent();
    await kubectl("delete", "pod", "orphan", "--force", "--grace-period=0");
    stopAgent = await lab.startAgent();
    expect(
      (await lab.runtime.list()).filter(({ labels }) => labels["io.kubernetes.pod.uid"] === uid),
    ).toEqual([]);
    expect(await lab.network.attached()).not.toContain(uid);
  });
});
