import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import {
  realClock as clock,
  realRandom as random,
  silentLogger as logger,
  type DeepReadonly,
} from "@kedge/machinery";
import { Event, Namespace, Pod, ServiceAccount, type PodSpec } from "@kedge/machinery/kinds/core/v1";
import {
  cleanUp,
  createImageStore,
  createNodeAgent,
  createPackageCache,
  createRuncRuntime,
  createSimulatedNetwork,
  findPrograms,
  openOciStore,
  plainFolders,
  simulatedProber,
  type ImageStore,
  type OciStore,
} from "@kedge/node";
import { createAuthority } from "@kedge/pki";
import { createMemoryStore } from "@kedge/store";
import { cacheFolder } from "../../node/laboratory.ts";

/** An API server in memory and a node agent with real containers on the machine's network. */
export interface ImageCluster extends AsyncDisposable {
  readonly client: Client;
  readonly store: OciStore;
  readonly images: ImageStore;
  readonly folder: string;
  readonly architecture: string;
  /** A static program of many names, for images of tests. */
  readonly busybox: Buffer;
  /** Makes a pod on the node. */
  run(name: string, spec: Partial<PodSpec> & Pick<PodSpec, "containers">): Promise<void>;
  pod(name: string): Promise<DeepReadonly<Pod>>;
  /** `reason: message` of each event about a pod. */
  events(name: string): Promise<readonly string[]>;
}

/** Starts it. Its OCI store is its own. */
export async function startImageCluster(): Promise<ImageCluster> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "kedge-images-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const path = process.env["PATH"] ?? "";
  const cache = createPackageCache({ folder: cacheFolder(), clock, logger, path });
  const programs = await findPrograms({ cache, clock, path });
  const [unpacked] = await cache.unpack(["busybox-static"]);
  const busybox = unpacked?.folder ?? "";
  const authority = await createAuthority({ name: "kedge", clock, random });
  const api = createApiServer({ store: createMemoryStore({ clock }), clock, random });
  await api.start();
  stack.defer(() => api.close());
  const { handle, upgrade } = api.doorFor({ name: "admin", groups: ["system:masters"] });
  const client = new Client(inProcessTransport(handle, upgrade), { clock, random, userAgent: "test" });
  const runtimeOptions = {
    folder: join(folder, "runtime"),
    programs,
    clock,
    logger,
    cgroupParent: basename(folder),
  };
  const runtime = await createRuncRuntime(runtimeOptions);
  stack.defer(async () => {
    await runtime.close();
    await cleanUp(runtimeOptions);
  });
  const ociFolder = join(folder, "oci");
  const images = createImageStore({ cache, clock, logger, folder: ociFolder });
  const store = await openOciStore({ folder: ociFolder, clock, logger, architecture: cache.architecture });
  const agent = createNodeAgent({
    client,
    clock,
    random,
    logger,
    nodeName: "node-1",
    address: "127.0.0.1",
    folder: join(folder, "node"),
    runtime,
    images,
    network: createSimulatedNetwork(),
    mounts: plainFolders,
    prober: simulatedProber,
    dns: { address: "127.0.0.1", domain: "cluster.local" },
    api: {
      host: "127.0.0.1",
      port: 0,
      serving: await authority.issueServing({ name: "here", hosts: ["127.0.0.1"] }),
      clientAuthority: authority.certificate,
      clientName: "kube-apiserver-kubelet-client",
    },
  });
  const stopping = new AbortController();
  const running = agent.run(stopping.signal);
  stack.defer(async () => {
    stopping.abort();
    await running;
  });
  await Promise.race([agent.ready(), running]);
  await client
    .of(Namespace)
    .create({ metadata: { name: "default" } })
    .catch(() => undefined);
  await client.of(ServiceAccount).create({ metadata: { namespace: "default", name: "default" } });
  const program = await readFile(join(busybox, "bin/busybox")).catch(() =>
    readFile(join(busybox, "usr/bin/busybox")),
  );
  const kept = stack.move();
  return {
    client,
    store,
    images,
    folder,
    architecture: cache.architecture,
    busybox: program,
    async run(name, spec) {
      await client.of(Pod).create({
        metadata: { namespace: "default", name },
        spec: {
          nodeName: "node-1",
          hostNetwork: true,
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          ...spec,
        },
      });
    },
    pod: (name) => client.of(Pod).get({ namespace: "default", name }),
    async events(name) {
      const all = await Array.fromAsync(client.of(Event).list({ namespace: "default" }));
      return all
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ reason, message }) => `${reason}: ${message}`);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
