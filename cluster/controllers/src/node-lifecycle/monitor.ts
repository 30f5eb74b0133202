import type { Client } from "@kedge/client";
import {
  clone,
  isConflict,
  isNotFound,
  type Clock,
  type DeepReadonly,
  type Logger,
  type Uid,
} from "@kedge/machinery";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import type { EventRecorder, Informers } from "@kedge/runtime";
import { inParallel } from "../in-parallel.ts";
import { judgeHealth, readyStatus, type HealthVerdict, type NodeHealth } from "./health.ts";
import { markPodsNotReady, reporter } from "./mark-pods.ts";
import type { NodeLifecycleOptions } from "./options.ts";
import { evictingTaintKey, hasEvictingTaint, withEvictingTaint } from "./taints.ts";
import { TaintQueue } from "./taint-queue.ts";
import { writeTaints } from "./write-taints.ts";
import { isExcludedFromZone, judgeZones, zoneOf, type ZoneCount, type ZoneState } from "./zones.ts";

/** What the monitor works with. */
export interface NodeMonitorOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lifecycle: NodeLifecycleOptions;
}

/** Looks at all nodes again and again. */
export interface NodeMonitor {
  run(signal: AbortSignal): Promise<void>;
}

type AnyNode = DeepReadonly<Node>;
type AnyPod = DeepReadonly<Pod>;

/** A node that we know. */
interface Known {
  readonly uid: Uid;
  readonly health: NodeHealth | undefined;
  /** Whether its pods are still to be marked: it failed the last time. */
  readonly mustMark: boolean;
}

const leaseNamespace = "kube-node-lease";
const podsByNode = "node";
const nodesAtOnce = 8;
const maxTries = 5;

/**
 * Finds out which nodes are silent: their conditions become Unknown and their pods not ready. Nodes that are not ready
 * get a taint with NoExecute, some at a time; the taint-eviction controller then sends their pods away.
 */
export function createNodeMonitor(options: NodeMonitorOptions): NodeMonitor {
  const { client, informers, events, clock, logger, lifecycle } = options;
  const nodes = informers.of(Node);
  const leases = informers.of(Lease, { namespace: leaseNamespace });
  const pods = informers.of(Pod);
  pods.addIndex(podsByNode, nodesOf);
  const known = new Map<string, Known>();
  const waiting = new TaintQueue(lifecycle.evictionRate);
  let zones: ReadonlyMap<string, ZoneState> = new Map();

  return {
    async run(signal) {
      // A pod that is placed on a node which is not ready comes too late to be marked with the others.
      const late: AnyPod[] = [];
      let wake = Promise.withResolvers<void>();
      const end = pods.onEvent((event) => {
        const before = event.type === "updated" ? event.previous.spec.nodeName : undefined;
        if (event.type === "deleted" || event.object.spec.nodeName === before) return;
        if (isOnUnreadyNode(event.object)) late.push(event.object);
        if (late.length === 1) wake.resolve();
      });
      let nextLook = clock.monotonic();
      try {
        while (!signal.aborted) {
          if (clock.monotonic() >= nextLook) {
            nextLook = clock.monotonic() + lifecycle.monitorPeriod;
            await look();
          }
          await tried("Pods could not be marked as not ready", () => mark(late.splice(0)));
          await taintWaiting();
          wake = Promise.withResolvers();
          const sleep = Math.min(nextLook, waiting.next) - clock.monotonic();
          if (late.length === 0) await Promise.race([wake.promise, clock.sleep(Math.max(0, sleep), signal)]);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        end();
      }
    },
  };

  /** One look at all of them. */
  async function look(): Promise<void> {
    const all = nodes.list();
    await meet(all);
    const counts = new Map<string, ZoneCount>();
    await inParallel(all, nodesAtOnce, (node) =>
      tried("The health of a node could not be written", () => lookAt(node, counts), node),
    );
    await disrupt(all, counts);
  }

  /** Who is new, and who is gone. */
  async function meet(all: readonly AnyNode[]): Promise<void> {
    const names = new Set(all.map(({ metadata }) => metadata.name));
    for (const [name, { uid }] of known) {
      if (names.has(name)) continue;
      known.delete(name);
      waiting.remove(name);
      tell({ name, uid }, "RemovingNode", `Removing Node ${name} from Controller`);
    }
    for (const node of all) {
      const { name, uid } = node.metadata;
      if (known.get(name)?.uid === uid) continue;
      known.set(name, { uid, health: undefined, mustMark: false });
      tell(node.metadata, "RegisteredNode", `Registered Node ${name} in Controller`);
      await tried("A new node could not be freed of taints", () => taint(node, undefined), node);
    }
  }

  async function lookAt(node: AnyNode, counts: Map<string, ZoneCount>): Promise<void> {
    const { name } = node.metadata;
    const found = await judge(node);
    if (found === undefined) return;
    const { verdict, node: current } = found;
    const { observed, ready } = verdict;
    if (!isExcludedFromZone(current)) {
      const { ready: some, notReady } = counts.get(zoneOf(current)) ?? { ready: 0, notReady: 0 };
      const isReady = ready === "True";
      counts.set(zoneOf(current), { ready: some + Number(isReady), notReady: notReady + Number(!isReady) });
    }
    if (ready === undefined) return;
    await setTaint(current, ready);
    const hasChanged = ready !== "True" && observed === "True";
    if (hasChanged) {
      events.record(subjectOf(current.metadata), {
        reason: "NodeNotReady",
        message: `Node ${name} status is now: NodeNotReady`,
        reporter,
      });
    }
    const mustMark = known.get(name)?.mustMark === true && observed !== "True";
    remember(name, { mustMark: hasChanged || mustMark });
    if (hasChanged || mustMark) await mark(pods.byIndex(podsByNode, name));
    remember(name, { mustMark: false });
  }

  /** Judges a node and writes what follows; again from its newest version when another writer was faster. */
  async function judge(node: AnyNode): Promise<{ verdict: HealthVerdict; node: AnyNode } | undefined> {
    const { name } = node.metadata;
    let current = node;
    for (let tries = 1; ; tries++) {
      const verdict = judgeHealth(
        {
          node: current,
          lease: leases.get({ namespace: leaseNamespace, name }),
          before: known.get(name)?.health,
          now: clock.now(),
        },
        lifecycle,
      );
      try {
        if (verdict.conditions !== undefined) await writeConditions(current, verdict.conditions);
        remember(name, { health: verdict.health });
        return { verdict, node: current };
      } catch (error) {
        if (isNotFound(error)) return undefined;
        if (!isConflict(error) || tries === maxTries) throw error;
        current = await client.of(Node).get({ name });
      }
    }
  }

  async function writeConditions(
    node: AnyNode,
    conditions: NonNullable<HealthVerdict["conditions"]>,
  ): Promise<void> {
    const metadata = { ...node.metadata, managedFields: undefined };
    const status = { ...clone(node.status ?? {}), conditions: [...conditions] };
    await client.of(Node).status.replace({ ...node, metadata, status });
  }

  /** One evicting taint becomes the other at once; whoever has none yet waits for its turn. */
  async function setTaint(node: AnyNode, ready: string): Promise<void> {
    const { name } = node.metadata;
    const key = evictingTaintKey(ready);
    if (key === undefined || hasEvictingTaint(node)) {
      waiting.remove(name);
      await taint(node, key);
    } else waiting.add(name, zoneOf(node));
  }

  async function taint(node: AnyNode, key: string | undefined): Promise<void> {
    await writeTaints(client, node, ({ spec }) => withEvictingTaint(spec.taints ?? [], key, clock.now()));
  }

  async function taintWaiting(): Promise<void> {
    for (const name of waiting.take(clock.monotonic())) {
      const node = nodes.get({ name });
      const key = node === undefined ? undefined : evictingTaintKey(readyStatus(node));
      if (node !== undefined && key !== undefined)
        await tried("A node could not be tainted", () => taint(node, key), node);
    }
  }

  async function disrupt(all: readonly AnyNode[], counts: ReadonlyMap<string, ZoneCount>): Promise<void> {
    const { states, rates, allDisrupted } = judgeZones(zones, counts, lifecycle);
    for (const [zone, state] of states)
      if (zones.get(zone) !== state) logger.info("A zone of nodes is now different", { zone, state });
    zones = states;
    waiting.keepZones(states);
    for (const [zone, rate] of rates) waiting.changeRate(zone, rate, clock.monotonic());
    if (allDisrupted === "enter") {
      logger.warn("No node is ready: no pod is evicted until one is");
      await inParallel(all, nodesAtOnce, async (node) => {
        waiting.remove(node.metadata.name);
        await tried("A node could not be freed of taints", () => taint(newest(node), undefined), node);
      });
    }
    if (allDisrupted === "leave") {
      logger.info("Some nodes are ready again: all get the full time to come back");
      const heardAt = clock.now();
      for (const [name, { health }] of known)
        if (health !== undefined) remember(name, { health: { ...health, heardAt } });
    }
  }

  function newest(node: AnyNode): AnyNode {
    return nodes.get({ name: node.metadata.name }) ?? node;
  }

  async function mark(some: readonly AnyPod[]): Promise<void> {
    await markPodsNotReady({ client, clock, events }, some);
  }

  function isOnUnreadyNode({ spec }: AnyPod): boolean {
    const node = spec.nodeName === undefined ? undefined : nodes.get({ name: spec.nodeName });
    const ready = node === undefined ? undefined : readyStatus(node);
    return ready !== undefined && ready !== "True";
  }

  function remember(name: string, change: Partial<Known>): void {
    const before = known.get(name);
    if (before !== undefined) known.set(name, { ...before, ...change });
  }

  function tell(node: { readonly name: string; readonly uid: Uid }, reason: string, text: string): void {
    events.record(subjectOf(node), { reason, message: `Node ${node.name} event: ${text}`, reporter });
  }

  /** What fails now is done at the next look. */
  async function tried(what: string, work: () => Promise<void>, node?: AnyNode): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isNotFound(error)) logger.warn(what, { node: node?.metadata.name, error });
    }
  }
}

function subjectOf({ name, uid }: { readonly name: string; readonly uid: Uid }) {
  return { apiVersion: "v1", kind: Node.kind, metadata: { name, uid } };
}

function nodesOf({ spec }: AnyPod): readonly string[] {
  return spec.nodeName === undefined ? [] : [spec.nodeName];
}
