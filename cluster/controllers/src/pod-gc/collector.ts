import type { Client } from "@kedge/client";
import {
  ifFound,
  isConflict,
  isNotFound,
  type Clock,
  type DeepReadonly,
  type Logger,
} from "@kedge/machinery";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import type { Informers } from "@kedge/runtime";
import { inParallel } from "../in-parallel.ts";
import { disruptionTarget } from "../pods/disruption-target.ts";
import { hasEnded } from "../pods/pod-state.ts";
import { missingNodes, planPodGc, type Collection, type PodGcOptions } from "./plan.ts";

/** What the collector works with. */
export interface PodCollectorOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly podGc: PodGcOptions;
}

/** Removes pods that no node will ever remove. */
export interface PodCollector {
  run(signal: AbortSignal): Promise<void>;
}

const podsAtOnce = 20;

/** A collector of pods whose node is gone or out of service, that ended long ago, or that never had a node. */
export function createPodCollector({
  client,
  informers,
  clock,
  logger,
  podGc,
}: PodCollectorOptions): PodCollector {
  const pods = informers.of(Pod);
  const nodes = informers.of(Node);
  /** Since when nodes are missing from the cache, by their names. */
  const missingSince = new Map<string, number>();

  return {
    async run(signal) {
      while (!signal.aborted) {
        await collect().catch((error: unknown) => logger.warn("Pods could not be collected", { error }));
        await clock.sleep(podGc.period, signal).catch(() => undefined);
      }
    },
  };

  async function collect(): Promise<void> {
    const known = new Map(nodes.list().map((node) => [node.metadata.name, node]));
    const all = pods.list();
    const goneNodes = await nodesGone(missingNodes({ pods: all, nodes: known }));
    await inParallel(planPodGc({ pods: all, nodes: known, goneNodes }, podGc), podsAtOnce, remove);
  }

  /** Of the missing nodes, those that are so for long enough and that the server does not have either. */
  async function nodesGone(missing: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const now = clock.monotonic();
    for (const name of missingSince.keys()) if (!missing.has(name)) missingSince.delete(name);
    const gone = new Set<string>();
    for (const name of missing) {
      const since = missingSince.get(name) ?? now;
      missingSince.set(name, since);
      if (now - since < podGc.quarantine) continue;
      if ((await ifFound(client.of(Node).get({ name }))) === undefined) gone.add(name);
      else missingSince.delete(name);
    }
    return gone;
  }

  async function remove({ pod, reason }: Collection): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    try {
      if (!hasEnded(pod)) await markFailed(pod, reason);
      await client.of(Pod).delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
      logger.info("A pod that no node would remove was removed", { pod: `${namespace}/${name}`, reason });
    } catch (error) {
      // It is gone, or another one has its name.
      if (isNotFound(error) || isConflict(error)) return;
      logger.warn("A pod could not be removed", { pod: `${namespace}/${name}`, reason, error });
    }
  }

  /** Who counts on its end, a Job above all, must see one: its node will not tell. */
  async function markFailed(pod: DeepReadonly<Pod>, reason: Collection["reason"]): Promise<void> {
    const { namespace, name, uid, generation } = pod.metadata;
    const why = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
    const conditions = reason === "orphaned" ? [disruptionTarget(pod, why, clock.now())] : [];
    const status = {
      phase: "Failed",
      ...(generation !== undefined && { observedGeneration: generation }),
      ...(conditions.length > 0 && { conditions }),
    };
    await client.of(Pod).status.patch({ namespace, name }, { strategic: { metadata: { uid }, status } });
  }
}
