import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport, type Transport } from "@kedge/client";
import { seededRandom, VirtualClock } from "@kedge/machinery";
import { Node, Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { createManager } from "@kedge/runtime";
import { defaultProfile, schedulerController, type Profile } from "@kedge/scheduler";
import { createMemoryStore } from "@kedge/store";
import { onTestFinished } from "vitest";

/** An API server in virtual time, and as many schedulers as are started. */
export interface SchedulingCluster {
  readonly clock: VirtualClock;
  /** The user's. */
  readonly client: Client;
  /** Resolves when it runs. */
  readonly startScheduler: (options?: SchedulerOptions) => Promise<RunningScheduler>;
  /** A node with so many cpus. */
  readonly addNode: (name: string, cpu: number) => Promise<void>;
  /** A pod that wants so many cpus, of the default scheduler or another. */
  readonly addPod: (name: string, cpu?: number, schedulerName?: string) => Promise<void>;
  /** The node of each pod that has one, by the pod's name. */
  readonly placed: () => Promise<Readonly<Record<string, string>>>;
}

/** How one scheduler sees the server. */
export interface SchedulerOptions {
  /** Called before a binding is sent; what it throws is the answer. */
  readonly onBind?: (pod: string) => Promise<void>;
  /** Called when the server has bound a pod; what it throws is the answer. */
  readonly onBound?: (pod: string) => Promise<void>;
  /** Called before the status of a pod is sent. */
  readonly onStatus?: (pod: string) => Promise<void>;
  /** Milliseconds by which its watches are behind. */
  readonly lag?: number;
  /** Default: Kubernetes' default one. */
  readonly profiles?: readonly Profile[];
}

/** One that was started. */
export interface RunningScheduler {
  /** Ends it as a crash does: nothing that it has begun is waited for, and nothing more is sent. */
  kill(): Promise<void>;
}

const admin = { name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };

/** Starts one; it is stopped with the test. */
export async function schedulingCluster(): Promise<SchedulingCluster> {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  const api = createApiServer({ store, clock, random: seededRandom("server") });
  await clock.runUntil(api.start());
  const { handle, upgrade } = api.doorFor(admin);
  const clientFor = (wrap: (transport: Transport) => Transport): Client =>
    new Client(wrap(inProcessTransport(handle, upgrade)), { clock, random: seededRandom("client") });
  const client = clientFor((transport) => transport);
  const serviceAccount = { metadata: { namespace: "default", name: "default" } };
  await clock.runUntil(client.of(ServiceAccount).create(serviceAccount));
  const running = new Set<RunningScheduler>();
  onTestFinished(async () => {
    for (const scheduler of running) await scheduler.kill();
    await api.close();
    await store.close();
  });
  return {
    clock,
    client,
    async startScheduler({ onBind, onBound, onStatus, lag = 0, profiles = [defaultProfile] } = {}) {
      const stopping = new AbortController();
      const own = clientFor((transport) => ({
        ...transport,
        async request(request) {
          const [, pod] = /\/pods\/([^/]+)\/binding$/u.exec(request.path) ?? [];
          const [, told] = /\/pods\/([^/]+)\/status$/u.exec(request.path) ?? [];
          if (pod !== undefined) await onBind?.(pod);
          if (told !== undefined) await onStatus?.(told);
          stopping.signal.throwIfAborted();
          const response = await transport.request(request);
          if (pod !== undefined) await onBound?.(pod);
          return request.path.includes("watch=true")
            ? { ...response, body: lagging(response.body, lag) }
            : response;
        },
      }));
      const manager = createManager({ client: own, clock, random: seededRandom("scheduler"), name: "s" });
      manager.add(schedulerController({ profiles }));
      const run = manager.run(stopping.signal);
      await clock.runUntil(manager.ready());
      const scheduler = {
        async kill() {
          stopping.abort();
          running.delete(scheduler);
          await clock.runUntil(run);
        },
      };
      running.add(scheduler);
      return scheduler;
    },
    async addNode(name, cpu) {
      const allocatable = { cpu: String(cpu), memory: "64Gi", pods: "110" };
      await clock.runUntil(client.of(Node).create({ metadata: { name }, spec: {} }));
      const status = { allocatable, capacity: allocatable };
      await clock.runUntil(client.of(Node).status.patch({ name }, { merge: { status } }));
      // Who watches for nodes that are not ready yet.
      await clock.runUntil(client.of(Node).patch({ name }, { merge: { spec: { taints: null } } }));
    },
    async addPod(name, cpu = 1, schedulerName = defaultProfile.schedulerName) {
      const resources = { requests: { cpu: String(cpu) } };
      const spec = { schedulerName, containers: [{ name: "main", image: "main:1", resources }] };
      await clock.runUntil(client.of(Pod).create({ metadata: { namespace: "default", name }, spec }));
    },
    async placed() {
      const { items } = await clock.runUntil(client.of(Pod).list({ namespace: "default" }).all());
      const bound = items.filter(({ spec }) => (spec.nodeName ?? "") !== "");
      return Object.fromEntries(bound.map(({ metadata, spec }) => [metadata.name, spec.nodeName ?? ""]));
    },
  };

  async function* lagging(body: AsyncIterable<Uint8Array>, ms: number): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      if (ms > 0) await clock.sleep(ms);
      yield chunk;
    }
  }
}
