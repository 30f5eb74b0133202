import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@kedge/client";
import {
  deepFreeze,
  resourceVersion,
  seededRandom,
  silentLogger,
  strategicMergePatch,
  VirtualClock,
} from "@kedge/machinery";
import type { ConfigMap, Pod, Secret } from "@kedge/machinery/kinds/core/v1";
import type { PodContext } from "../pod/context.ts";
import { PodRuntimeManager } from "../pod/pod-runtime-manager.ts";
import { PodWorker, type PodWorkerOptions } from "../pod/pod-worker.ts";
import type { ApiPod } from "../model/types.ts";
import type { ImageStore } from "../images/types.ts";
import type { Prober } from "../probes/types.ts";
import type { ContainerRuntime } from "../runtime/types.ts";
import { createSimulatedNetwork, simulatedImages, simulatedProber } from "../simulated/simulated-node.ts";
import { createSimulatedRuntime, type SimulatedLife } from "../simulated/simulated-runtime.ts";
import { podSchema } from "../status/status-patch.ts";
import { plainFolders } from "../volumes/node-mounts.ts";

/** What a test changes of the world around a pod. */
export interface PodBenchOptions {
  /** By container name; called for every run. */
  readonly lifeOf?: (container: string) => SimulatedLife;
  readonly prober?: Prober;
  readonly images?: ImageStore;
  /** Before a status is written; what it throws is the answer. */
  readonly onPatch?: (clock: VirtualClock) => Promise<void>;
}

const schema = podSchema();

/** A pod's worker on virtual time, with a runtime in memory and an API that holds this one pod. */
export class PodBench implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly runtime: ContainerRuntime;
  readonly network = createSimulatedNetwork();
  readonly configMaps = new Map<string, ConfigMap>();
  readonly secrets = new Map<string, Secret>();
  /** `second reason message`. */
  readonly events: string[] = [];
  /** Every status that was reported: `second phase container-state…`. */
  readonly reports: string[] = [];
  readonly folder: string;
  pod: ApiPod;
  isDeleted = false;
  readonly #context: PodContext;
  #worker: PodWorker | undefined;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #onObject: () => void = () => undefined;

  private constructor(folder: string, pod: ApiPod, options: PodBenchOptions) {
    this.folder = folder;
    this.pod = deepFreeze(pod);
    const { clock } = this;
    this.runtime = createSimulatedRuntime({
      clock,
      lifeOf: ({ labels }) => options.lifeOf?.(labels["io.kubernetes.container.name"] ?? "") ?? {},
    });
    this.#context = {
      clock,
      random: seededRandom(1),
      logger: silentLogger,
      client: undefined as unknown as Client,
      runtime: this.runtime,
      network: this.network,
      images: options.images ?? simulatedImages,
      prober: options.prober ?? simulatedProber,
      mounts: plainFolders,
      tokens: { token: () => Promise.resolve(undefined), forget: () => undefined },
      folder,
      nodeName: "node-1",
      hostAddress: "192.0.2.1",
      dns: { address: "10.244.0.1", domain: "cluster.local" },
      allocatable: { cpu: "2", memory: "1Gi" },
      memoryBytes: 1 << 30,
      appArmor: false,
      hostResolvConf: "",
      services: () => Promise.resolve([]),
      objectsOf: (_namespace, onChange) => {
        this.#onObject = onChange;
        return {
          configMap: (name) => Promise.resolve(this.configMaps.get(name)),
          secret: (name) => Promise.resolve(this.secrets.get(name)),
          [Symbol.dispose]: () => undefined,
        };
      },
      events: {
        record: (_subject, { reason, message }) =>
          this.events.push(`${this.#seconds()} ${reason} ${message}`),
        flush: () => Promise.resolve(),
      },
      api: {
        patchStatus: async (_pod, patch) => {
          await options.onPatch?.(clock);
          return this.#patch(patch);
        },
        delete: () => {
          this.isDeleted = true;
          this.#worker?.gone();
          return Promise.resolve();
        },
      },
    };
  }

  static async open(pod: ApiPod, options: PodBenchOptions = {}): Promise<PodBench> {
    return new PodBench(await mkdtemp(join(tmpdir(), "kedge-pod-")), pod, options);
  }

  /** Starts a worker, as an agent does that finds what is there. */
  async start(options: Pick<PodWorkerOptions, "rejection" | "room"> = {}): Promise<void> {
    this.#stop = new AbortController();
    const adopted = await this.runtime.list();
    const attached = await this.network.attached();
    this.#worker = new PodWorker(this.#context, {
      pod: this.pod,
      adopted: adopted.map(({ id }) => id),
      attached: attached.includes(this.pod.metadata.uid),
      schema,
      ...options,
      runtimeManager: (of) => new PodRuntimeManager(this.#context, of),
    });
    this.runtime.onExit(() => this.#worker?.wake());
    this.#running = this.#worker.run(this.#stop.signal);
  }

  /** Ends the worker; containers go on. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.clock.runUntil(this.#running);
  }

  /** The node is short of something. */
  evict(message: string): void {
    this.#worker?.evict(message);
  }

  /** What somebody else does to the object. */
  change(change: (pod: ApiPod) => ApiPod): void {
    this.#store(change(this.pod));
    this.#worker?.update(this.pod);
  }

  /** `kubectl delete pod`. */
  delete(graceSeconds: number): void {
    this.change((pod) => ({
      ...pod,
      metadata: {
        ...pod.metadata,
        deletionTimestamp: "2026-01-01T00:00:00Z",
        deletionGracePeriodSeconds: graceSeconds,
      },
    }));
  }

  /** A config map or secret has changed. */
  objectChanged(): void {
    this.#onObject();
  }

  /** Resolves when the pod's worker has nothing left to do for it. */
  async finished(): Promise<void> {
    await this.clock.runUntil(this.#running);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  #patch(patch: object): ApiPod {
    const patched = strategicMergePatch({ ...this.pod }, { ...patch }, schema) as unknown as Pod;
    this.#store(patched);
    const { phase, initContainerStatuses = [], containerStatuses = [], conditions } = patched.status ?? {};
    const states = [...initContainerStatuses, ...containerStatuses].map(
      ({ name, state }) => `${name}=${state?.waiting?.reason ?? state?.terminated?.reason ?? "Running"}`,
    );
    const isReady = conditions?.find(({ type }) => type === "Ready")?.status === "True";
    this.reports.push([this.#seconds(), phase, ...states, ...(isReady ? ["Ready"] : [])].join(" "));
    return this.pod;
  }

  #store(pod: ApiPod): void {
    const version = resourceVersion(String(Number(this.pod.metadata.resourceVersion) + 1));
    this.pod = deepFreeze({ ...pod, metadata: { ...pod.metadata, resourceVersion: version } });
  }

  #seconds(): string {
    return String(Math.round((this.clock.now() - Date.UTC(2026, 0)) / 100) / 10);
  }
}
