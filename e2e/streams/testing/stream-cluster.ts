import { appendFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiServer, listen, podConnects } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import {
  realClock as clock,
  realRandom as random,
  silentLogger as logger,
  type MessageStream,
} from "@kedge/machinery";
import { Node, Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import {
  createNodeAgent,
  createSimulatedNetwork,
  createSimulatedRuntime,
  plainFolders,
  simulatedImages,
  simulatedProber,
  type ContainerRuntime,
  type ImageStore,
} from "@kedge/node";
import { createAuthority } from "@kedge/pki";
import { createMemoryStore } from "@kedge/store";
import { until } from "../../real/wait.ts";

/** Somebody who listens, and how to be let in. */
export interface StreamTarget {
  readonly port: number;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** The path of a stream of the pod. */
  readonly pathOf: (stream: StreamPath) => string;
}

/** What is asked for. */
export interface StreamPath {
  readonly action: "exec" | "attach" | "log" | "portforward";
  /** Of exec. */
  readonly command?: readonly string[];
  /** Of port-forward. */
  readonly port?: number;
}

/** An API server and a node agent in this process, with one pod that runs. */
export interface StreamCluster extends AsyncDisposable {
  /** The agent's own API. */
  readonly node: StreamTarget;
  /** The API server, which passes on to the agent. */
  readonly server: StreamTarget;
  /** An exec by our own client, to see that all is well. */
  exec(command: readonly string[]): Promise<MessageStream>;
}

/** Where the pod runs. Default: nowhere, it is simulated. */
export interface StreamClusterOptions {
  /** Of simulated containers. */
  readonly exec?: ContainerRuntime["exec"];
  readonly runtime?: ContainerRuntime;
  readonly images?: ImageStore;
  readonly image?: string;
  readonly command?: readonly string[];
}

/** Starts it; resolves when the pod runs. */
export async function startStreamCluster(options: StreamClusterOptions): Promise<StreamCluster> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "kedge-streams-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const authority = await createAuthority({ name: "kedge", clock, random });
  const { certificate: ca } = authority;
  const toNodes = await authority.issueClient({ user: "kube-apiserver-kubelet-client" });
  const admin = await authority.issueClient({ user: "admin", groups: ["system:masters"] });
  const store = createMemoryStore({ clock });
  const connects = podConnects({ clock, authority: ca, clientCertificate: toNodes });
  const server = createApiServer({ store, clock, random, podConnects: connects });
  await server.start();
  stack.defer(() => server.close());
  const serving = await authority.issueServing({ name: "here", hosts: ["127.0.0.1"] });
  const place = { host: "127.0.0.1", port: 0, serving, clientAuthority: ca };
  const door = await listen(server, { ...place, clock });
  stack.defer(() => door.close());

  const { handle, upgrade } = server.doorFor({ name: "admin", groups: ["system:masters"] });
  const client = new Client(inProcessTransport(handle, upgrade), { clock, random, userAgent: "test" });
  const agent = createNodeAgent({
    client,
    clock,
    random,
    logger,
    nodeName: "node-1",
    address: "127.0.0.1",
    folder: join(folder, "node"),
    runtime: options.runtime ?? simulated(options),
    images: options.images ?? simulatedImages,
    network: createSimulatedNetwork(),
    mounts: plainFolders,
    prober: simulatedProber,
    dns: { address: "127.0.0.1", domain: "cluster.local" },
    api: { ...place, clientName: "kube-apiserver-kubelet-client" },
  });
  const stopping = new AbortController();
  const running = agent.run(stopping.signal);
  stack.defer(async () => {
    stopping.abort();
    await running;
  });
  await Promise.race([agent.ready(), running]);
  await createPod(client, options);
  const node = await client.of(Node).get({ name: "node-1" });
  const kept = stack.move();
  return {
    node: {
      port: node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0,
      ca,
      cert: toNodes.certificate,
      key: toNodes.key,
      pathOf: nodePath,
    },
    server: { port: door.port, ca, cert: admin.certificate, key: admin.key, pathOf: serverPath },
    async exec(command) {
      const path = serverPath({ action: "exec", command });
      const answer = await upgrade({ method: "GET", path, headers: {}, protocols: ["v5.channel.k8s.io"] });
      if ("status" in answer) throw new Error(`exec was refused with ${answer.status}`);
      return answer;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** On the machine's own network, where there is something to connect to. */
async function createPod(client: Client, { image = "app:1", command }: StreamClusterOptions): Promise<void> {
  const inDefault = { namespace: "default" };
  await client.of(ServiceAccount).create({ metadata: { ...inDefault, name: "default" } });
  await client.of(Pod).create({
    metadata: { ...inDefault, name: "web" },
    spec: {
      nodeName: "node-1",
      hostNetwork: true,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "main", image, ...(command && { command: [...command] }) }],
    },
  });
  await until("the pod runs", async () => {
    const pod = await client.of(Pod).get({ ...inDefault, name: "web" });
    return pod.status?.phase === "Running";
  });
}

function nodePath({ action, command = [], port = 0 }: StreamPath): string {
  if (action === "log") return "/containerLogs/default/web/main?follow=true";
  if (action === "portforward") return `/portForward/default/web?port=${port}`;
  const flags = action === "exec" ? { input: "1", output: "1", error: "1" } : { output: "1", error: "1" };
  return `/${action}/default/web/main?${queryOf(flags, command)}`;
}

function serverPath({ action, command = [], port = 0 }: StreamPath): string {
  const pod = "/api/v1/namespaces/default/pods/web";
  if (action === "log") return `${pod}/log?follow=true`;
  if (action === "portforward") return `${pod}/portforward?ports=${port}`;
  const flags =
    action === "exec"
      ? { stdin: "true", stdout: "true", stderr: "true" }
      : { stdout: "true", stderr: "true" };
  return `${pod}/${action}?${queryOf(flags, command)}`;
}

function queryOf(flags: Record<string, string>, command: readonly string[]): string {
  const query = new URLSearchParams(flags);
  for (const word of command) query.append("command", word);
  return query.toString();
}

/** Simulated containers say nothing: somebody who follows their log would see no file. */
function simulated({ exec }: StreamClusterOptions): ContainerRuntime {
  const runtime = createSimulatedRuntime({ clock });
  return {
    ...runtime,
    ...(exec && { exec }),
    async create(spec) {
      await runtime.create(spec);
      const line = `2026-01-01T00:00:01Z stdout F ${"hello ".repeat(20)}\n`;
      appendFileSync(spec.logPath, line.repeat(2000));
    },
  };
}
