import { messageOf, type Clock, type Logger, type Steps } from "@kedge/machinery";
import { Namespace, Pod } from "@kedge/machinery/kinds/core/v1";
import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import type { Informer, Informers } from "@kedge/runtime";
import { inRange, parseRange } from "../address.ts";
import type { NetworkCommands } from "../commands.ts";
import { createPodFlows } from "../flows/pod-flows.ts";
import { NetworkError } from "../network-error.ts";
import type { ClusterNetwork, PodNetwork } from "../types.ts";
import { planPolicies } from "./plan-policies.ts";
import { isSameToPolicies, policyPods } from "./policy-pods.ts";
import { tableAnew, tableChange, tableRemains } from "./policy-table.ts";
import type { PolicyObject, PolicyPod, PolicyRules } from "./types.ts";

/** What the keeper of a node's policies is made with. */
export interface NetworkPoliciesOptions {
  readonly network: ClusterNetwork;
  readonly nodeName: string;
  /** Where the cluster's names are answered, beside the node itself. Default: nowhere. */
  readonly resolvers?: readonly string[];
  readonly informers: Informers;
  readonly commands: NetworkCommands;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps the rules of a node equal to what the cluster's network policies say about its pods. */
export interface NetworkPolicies {
  /** Resolves when the signal aborts. The rules stay: `PodNetwork.remove` takes them away. */
  run(signal: AbortSignal): Promise<void>;
  /** A network whose pods are isolated, by policies that are known then, before they are attached for good. */
  guarding(network: PodNetwork): PodNetwork;
}

/** Changes that come within this time are one transaction. */
const batchMs = 20;
const retryMs = 1000;
/** As long as this is planned at a stretch. */
const sliceMs = 10;
/** So long a new pod waits for its rules. */
const patienceMs = 20_000;

/** The keeper of a node's policies. Pods are watched once there is a policy. */
export function createNetworkPolicies(options: NetworkPoliciesOptions): NetworkPolicies {
  const { network, nodeName, resolvers = [], informers, commands, clock, logger } = options;
  const place = { network, resolvers };
  const ownRange = parseRange(network.podCIDR);
  const policies = informers.of(NetworkPolicy, { isOptional: true });
  let watched: Watched | undefined;
  const addresses = new Map<string, string>();
  let lastSeen: ReadonlyMap<string, PolicyPod> = new Map();
  /** Who had which address on other nodes when the rules in force were made. */
  let owners: ReadonlyMap<string, string> = new Map();
  const flows = createPodFlows({ commands, logger });
  let changed = Promise.withResolvers<void>();
  const notice = (): void => changed.resolve();
  /** What is in force: undefined before the first time, and when it is not known. */
  let applied: Applied | undefined;
  let failure = "the API server has not told of policies yet";
  let applications = Promise.withResolvers<void>();

  const watch = async (signal: AbortSignal): Promise<Watched> => {
    const found = watched ?? { pods: informers.of(Pod), namespaces: informers.of(Namespace) };
    if (watched === undefined) {
      watched = found;
      found.pods.onEvent((event) => {
        if (event.type !== "updated" || !isSameToPolicies(event.previous, event.object)) notice();
      });
      found.namespaces.onEvent(notice);
    }
    await Promise.all([found.pods.synced(signal), found.namespaces.synced(signal)]);
    return found;
  };

  const observe = async (signal: AbortSignal): Promise<Observed> => {
    const all = policies.list();
    if (all.length === 0) return { policies: [], pods: [], namespaces: new Map(), hasPolicies: false };
    const { pods, namespaces } = await watch(signal);
    return {
      policies: all,
      pods: policyPods(pods.list(), { nodeName, addresses, lastSeen }),
      namespaces: new Map(namespaces.list().map(({ metadata }) => [metadata.name, metadata.labels ?? {}])),
      hasPolicies: true,
    };
  };

  const apply = async (signal: AbortSignal): Promise<void> => {
    const observed = await observe(signal);
    const locals = observed.pods.filter(({ uid, isLocal }) => isLocal && addresses.has(uid));
    const rules = await inSlices(planPolicies(observed), clock, signal);
    const before = applied;
    // Whatever goes wrong from here on, the next one makes the table anew.
    applied = undefined;
    if (before === undefined) await commands.nft(tableAnew(rules, place));
    else {
      const change = await inSlices(tableChange(before.rules, rules, place), clock, signal);
      if (change !== undefined) await commands.nft(change);
      const remains = tableRemains(before.rules, rules, place);
      if (remains !== undefined) await commands.nft(remains);
    }
    await forgetMoved(observed.pods);
    lastSeen = new Map(locals.map((pod) => [pod.uid, pod]));
    const uids = new Set(locals.map(({ uid }) => uid));
    applied = { rules, hasPolicies: observed.hasPolicies, uids };
    const done = applications;
    applications = Promise.withResolvers();
    done.resolve();
  };

  /**
   * What pods of this node may send to a pod they may not send to the next one that has its address. Those of this node
   * are forgotten when they are detached.
   */
  const forgetMoved = async (pods: readonly PolicyPod[]): Promise<void> => {
    const before = owners;
    const elsewhere = pods.filter(({ address }) => !inRange(ownRange, address));
    owners = new Map(elsewhere.map(({ address, uid }) => [address, uid]));
    const moved = [...before].filter(([address, uid]) => owners.get(address) !== uid);
    await Promise.all(moved.map(([address]) => flows.forget(address)));
  };

  /** Resolves when the rules in force were made with this pod in mind, or without any policy. */
  const isolated = async (uid: string): Promise<void> => {
    using deadline = clock.deadline(patienceMs);
    const given = new Promise<never>((_resolve, reject) => {
      deadline.signal.addEventListener("abort", () =>
        reject(new NetworkError(`network policies of the pod are not in force yet: ${failure}`)),
      );
    });
    const isReady = (): boolean =>
      applied !== undefined &&
      (applied.uids.has(uid) || (!applied.hasPolicies && policies.list().length === 0));
    while (!isReady()) {
      const next = applications.promise;
      notice();
      await Promise.race([next, given]);
    }
  };

  return {
    async run(signal) {
      const ending = policies.onEvent(notice);
      signal.addEventListener("abort", notice, { once: true });
      try {
        await policies.synced(signal);
        notice();
        while (!signal.aborted) {
          await changed.promise;
          await clock.sleep(batchMs, signal);
          changed = Promise.withResolvers<void>();
          try {
            await apply(signal);
          } catch (error) {
            if (signal.aborted) break;
            failure = messageOf(error);
            logger.error("The rules for network policies could not be changed", { error });
            await clock.sleep(retryMs, signal);
            notice();
          }
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        ending();
        signal.removeEventListener("abort", notice);
      }
    },
    guarding: (pods) => ({
      ...pods,
      async attach(uid, hostPorts) {
        const attached = await pods.attach(uid, hostPorts);
        addresses.set(uid, attached.address);
        await isolated(uid);
        return attached;
      },
      async detach(uid) {
        await pods.detach(uid);
        if (addresses.delete(uid)) notice();
      },
    }),
  };
}

interface Watched {
  readonly pods: Informer<Pod>;
  readonly namespaces: Informer<Namespace>;
}

interface Observed {
  readonly policies: readonly PolicyObject[];
  readonly pods: readonly PolicyPod[];
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly hasPolicies: boolean;
}

interface Applied {
  readonly rules: PolicyRules;
  readonly hasPolicies: boolean;
  /** The pods of this node that were known. */
  readonly uids: ReadonlySet<string>;
}

/** Does the steps, and lets others in between. */
async function inSlices<T>(steps: Steps<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  let end = clock.monotonic() + sliceMs;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (clock.monotonic() < end) continue;
    await clock.sleep(0, signal);
    end = clock.monotonic() + sliceMs;
  }
}
