import { ClientError, type Client, type DynamicObject, type ServedKind } from "@kedge/client";
import {
  ifFound,
  isConflict,
  isNotFound,
  messageOf,
  parseApiVersion,
  type Clock,
  type DeepReadonly,
  type Logger,
  type OwnerReference,
} from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { createQueue, type InformerEvent, type Informers, type Trigger } from "@kedge/runtime";
import { servedKinds } from "../served-kinds.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { createOwnerGraph, type Node } from "./graph.ts";
import { isWaiting, planCollection, type CollectorAction, type OwnerState } from "./plan.ts";
import { patchFor } from "./patch-for.ts";

/** What the collector works with. */
export interface GarbageCollectorOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly workers?: number;
}

/** Deletes what has lost its owners. */
export interface GarbageCollector {
  run(signal: AbortSignal): Promise<void>;
}

/** How often to ask for new kinds when no CRD has told of one. */
const askAgain = 30_000;
/** How long to wait for kinds that do not answer before the others are collected without them. */
const patience = 30_000;

/** As many as kube-controller-manager has. */
const defaultWorkers = 20;

/** A collector for all kinds that the server serves, custom ones too. */
export function createGarbageCollector(options: GarbageCollectorOptions): GarbageCollector {
  const { client, informers, clock, logger } = options;
  const graph = createOwnerGraph();
  const queue = createQueue({ clock, name: "garbage-collector" });
  const watched = new Set<string>();
  const absent = new AbsentOwners();
  const definitions = informers.of(CustomResourceDefinition);

  return {
    async run(signal) {
      let wake = Promise.withResolvers<void>();
      const end = definitions.onEvent(() => wake.resolve());
      await watchKinds();
      await Promise.race([informers.synced(signal), clock.sleep(patience, signal)]).catch(() => undefined);
      const workers = Array.from({ length: options.workers ?? defaultWorkers }, () => work(signal));
      try {
        while (!signal.aborted) {
          await Promise.race([wake.promise, clock.sleep(askAgain, signal)]);
          wake = Promise.withResolvers();
          // A definition is told before its kind is served: whoever comes too early comes again.
          await clock.sleep(200, signal);
          await watchKinds().catch((error: unknown) =>
            logger.warn("The served kinds are not known", { error }),
          );
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        end();
        queue.shutDown();
        await Promise.all(workers);
      }
    },
  };

  async function watchKinds(): Promise<void> {
    for (const kind of await servedKinds(client)) {
      const name = `${kind.group}/${kind.version}/${kind.kind}`;
      if (watched.has(name)) continue;
      watched.add(name);
      informers.of(kind).onEvent((event) => notice(kind, event));
    }
  }

  function notice(kind: ServedKind, event: InformerEvent<DynamicObject>): void {
    const { metadata } = event.object;
    const trigger: Trigger = {
      priority: "child-change",
      source: `${kind.kind} ${metadata.name}`,
      reason: event.type,
    };
    if (event.type === "deleted") {
      const orphaned = graph.dependents(metadata.uid);
      graph.remove(metadata.uid);
      for (const { object } of orphaned) queue.add(object.metadata.uid, trigger);
    } else {
      graph.set({ kind, object: event.object });
      if (needsJudgement(event.object)) queue.add(metadata.uid, trigger);
      // Dependents of an owner that waits for them are to go.
      if (isWaiting(event.object)) {
        for (const { object } of graph.dependents(metadata.uid)) queue.add(object.metadata.uid, trigger);
      }
    }
    for (const owner of metadata.ownerReferences ?? []) {
      const known = graph.get(owner.uid);
      if (known !== undefined && isWaiting(known.object)) queue.add(owner.uid, trigger);
    }
  }

  function needsJudgement({ metadata }: DeepReadonly<DynamicObject>): boolean {
    if (metadata.deletionTimestamp !== undefined) return (metadata.finalizers ?? []).length > 0;
    return (metadata.ownerReferences ?? []).some((owner) => {
      const known = graph.get(owner.uid);
      return known === undefined || isWaiting(known.object);
    });
  }

  async function work(signal: AbortSignal): Promise<void> {
    for (let item = await next(signal); item !== undefined; item = await next(signal)) {
      try {
        await collect(item.key);
        queue.forget(item.key);
      } catch (error) {
        // A kind that is not served yet, or a server that is away: no stack says more of it.
        const reason = error instanceof ClientError ? { why: messageOf(error) } : { error };
        logger.warn("An object could not be collected", { uid: item.key, ...reason });
        queue.addRateLimited(item.key, { priority: "retry", source: "garbage-collector", reason: "failed" });
      } finally {
        queue.done(item.key);
      }
    }
  }

  async function next(signal: AbortSignal) {
    return queue.get(signal).catch(() => undefined);
  }

  async function collect(uid: string): Promise<void> {
    const node = graph.get(uid);
    if (node === undefined) return;
    const states = new Map<string, OwnerState>();
    for (const owner of node.object.metadata.ownerReferences ?? [])
      states.set(owner.uid, await stateOf(owner, node));
    const dependents = graph.dependents(uid);
    const actions = planCollection({
      node,
      dependents,
      ownerState: (owner) => states.get(owner.uid) ?? "there",
    });
    try {
      for (const action of actions) await act(action);
    } catch (error) {
      if (!isConflict(error)) throw error;
      // Someone was faster: what they did comes to us as an event, and then we judge again.
      queue.addAfter(uid, 100, {
        priority: "retry",
        source: "garbage-collector",
        reason: "changed meanwhile",
      });
    }
  }

  async function stateOf(owner: Readonly<OwnerReference>, node: Node): Promise<OwnerState> {
    const known = graph.get(owner.uid);
    if (known !== undefined) return isWaiting(known.object) ? "waits for us" : "there";
    const { namespace } = node.object.metadata;
    if (absent.has(owner, namespace)) return "absent";
    // Not seen is not gone: our picture may be older than the owner.
    const { group, version } = parseApiVersion(owner.apiVersion);
    const kind = await ifFound(client.discovery.kind({ group, version, kind: owner.kind }));
    if (kind === undefined) return "absent";
    // A cluster-scoped object that names a namespaced owner: its namespace is unknown, so it counts as there.
    if (kind.scope === "Namespaced" && namespace === undefined) return "there";
    const key = kind.scope === "Namespaced" ? { name: owner.name, namespace } : { name: owner.name };
    const found = await ifFound(client.of(kind).get(key));
    if (found?.metadata.uid === owner.uid) return isWaiting(found) ? "waits for us" : "there";
    absent.add(owner, namespace);
    return "absent";
  }

  async function act(action: CollectorAction): Promise<void> {
    const { kind, object } = action.node;
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const key = { name, ...(namespace === undefined ? {} : { namespace }) };
    const verbs = client.of(kind);
    try {
      if (action.type === "delete") {
        logger.info("Deleting an object whose owners are gone", { kind: kind.kind, ...key });
        await verbs.delete(key, { propagation: action.propagation, preconditions: { uid, resourceVersion } });
      } else {
        const patch = patchFor(action, object.metadata);
        await verbs.patch(key, { merge: { metadata: { uid, resourceVersion, ...patch } } });
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
