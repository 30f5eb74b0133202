import {
  controllerOf,
  ifFound,
  isControlledBy,
  selectorFromLabels,
  type DeepReadonly,
  type ObjectKey,
} from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Event, PersistentVolumeClaim, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { byController, type ReconcileContext } from "@kedge/runtime";
import { bindingState, type BindingState } from "./binding.ts";
import type { ConfigTrial, ConfigTrials } from "./config-trials.ts";
import { extrasOf, type Extras } from "./extras.ts";
import { RedisInstance, type ReplicationStatus } from "./kind.ts";
import { configCopyLabel, dataVolume, instanceLabel, labelsOf, namesOf } from "./names.ts";
import { observeServers } from "./observe-servers.ts";
import { passwordSource, passwordState, type PasswordState } from "./password.ts";
import type { Pulse } from "./pulse/pulse.ts";
import { loadSecrets } from "./secrets.ts";
import type { ServerView } from "./server-view.ts";
import { credentialFacts, type CredentialFacts } from "./system-secret.ts";
import type { UserTrial, UserTrials } from "./user-trials.ts";

/** All that a plan is made of. The password itself is not in it. */
export interface Observed {
  readonly instance: DeepReadonly<RedisInstance>;
  readonly configMap: DeepReadonly<ConfigMap> | undefined;
  /** The copies of redis.conf that pods mount, or did. */
  readonly configCopies: readonly DeepReadonly<ConfigMap>[];
  /** Ours. */
  readonly statefulSet: DeepReadonly<StatefulSet> | undefined;
  /** The StatefulSet of our name is somebody else's, and so are pods and claims that look like ours. */
  readonly isNameTaken: boolean;
  readonly password: PasswordState;
  /** What servers are told of their peers. */
  readonly peers: DeepReadonly<ConfigMap> | undefined;
  /** The StatefulSet's, and those that an earlier one has left. */
  readonly pods: readonly DeepReadonly<Pod>[];
  /** Those of the pods, by the names that the StatefulSet controller gives them. */
  readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[];
  /** Claims of our StatefulSet that lost our labels. Looked for only before claims are deleted. */
  readonly unlabelledClaims: readonly DeepReadonly<PersistentVolumeClaim>[];
  /** The storage classes whose volumes may grow. */
  readonly expandableClasses: ReadonlySet<string>;
  /** What StatefulSets of our name could not make, as their controller tells it. */
  readonly failedCreations: readonly DeepReadonly<Event>[];
  /** Ours that the spec may or may not ask for. */
  readonly extras: Extras;
  /** The StatefulSet of exporters, if it is ours. */
  readonly exporters: DeepReadonly<StatefulSet> | undefined;
  readonly binding: BindingState;
  /** How it is with users and passwords. */
  readonly credentials: CredentialFacts;
  /** Users that a server would not take. */
  readonly userTrials: readonly UserTrial[];
  /** Who is the primary by the newest status that is known. */
  readonly replication: DeepReadonly<ReplicationStatus> | undefined;
  /** The one that leads to the primary. */
  readonly service: DeepReadonly<Service> | undefined;
  /** A config that a server would not take while it ran. */
  readonly configTrial: ConfigTrial | undefined;
  /** The pods, with what their servers say, by ordinal. */
  readonly servers: readonly ServerView[];
  /** When all this was observed, in milliseconds since 1970. */
  readonly now: number;
}

type Context = Pick<ReconcileContext<RedisInstance>, "read" | "client" | "signal" | "clock">;
type Instance = DeepReadonly<RedisInstance>;

/** What is known beside what the cluster has. */
export interface Looking {
  readonly pulse: Pulse;
  readonly trials: ConfigTrials;
  readonly userTrials: UserTrials;
}

/**
 * Gathers what there is of an instance: from the caches, or, before the instance is let go, from the server itself,
 * because a cache may not show yet what has appeared.
 */
export async function observe(
  context: Context,
  instance: Instance,
  { pulse, trials, userTrials }: Looking,
): Promise<Observed> {
  const secret = await loadSecrets(context, instance);
  const isLast = instance.metadata.deletionTimestamp !== undefined;
  const { namespace, name } = instance.metadata;
  const names = namesOf(name);
  const at = (child: string): ObjectKey => ({ namespace, name: child });
  const found = isLast ? await readLive(context, instance) : readCached(context, instance);
  const isOurs = found.statefulSet !== undefined && isControlledBy(found.statefulSet, instance);
  const statefulSet = isOurs ? found.statefulSet : undefined;
  const pods = found.pods.filter((pod) => isPodOf(pod, statefulSet));
  const servers = await observeServers(context, instance, { pods, pulse });
  return {
    instance,
    configMap: context.read(ConfigMap).get(at(names.configMap)),
    configCopies: context
      .read(ConfigMap)
      .byIndex(byController, instance.metadata.uid)
      .filter(({ metadata }) => metadata.labels?.[configCopyLabel] !== undefined),
    statefulSet,
    isNameTaken: found.statefulSet !== undefined && !isOurs,
    password: passwordState({
      instance,
      statefulSet,
      authSecret: secret(passwordSource(instance).secret),
      inUse: secret(names.passwordInUse),
    }),
    peers: context.read(ConfigMap).get(at(names.peers)),
    service: context.read(Service).get(at(names.service)),
    pods,
    ...sortClaims(instance, { ...found, statefulSet }),
    expandableClasses: new Set(
      context
        .read(StorageClass)
        .list()
        .filter(({ allowVolumeExpansion }) => allowVolumeExpansion === true)
        .map(({ metadata }) => metadata.name),
    ),
    failedCreations: context
      .read(Event)
      .list({ namespace })
      .filter(({ involvedObject }) => involvedObject.name === names.statefulSet),
    extras: extrasOf(context, instance),
    exporters: context
      .read(StatefulSet)
      .byIndex(byController, instance.metadata.uid)
      .find(({ metadata }) => metadata.name === names.metrics),
    binding: bindingState(instance, {
      inUse: secret(names.passwordInUse),
      binding: secret(names.binding),
    }),
    credentials: credentialFacts(context, instance, secret),
    userTrials: userTrials.of({ namespace, name }),
    replication: newestReplication(context, instance),
    configTrial: trials.of({ namespace, name }),
    servers,
    now: context.clock.now(),
  };
}

/** As of the last write that the cache knows, which may be ours of this very run. */
export function newestReplication(
  context: Pick<Context, "read">,
  { metadata: { namespace, name, uid }, status }: Instance,
): DeepReadonly<ReplicationStatus> | undefined {
  const newest = context.read(RedisInstance).get({ namespace, name });
  return newest?.metadata.uid === uid ? newest.status?.replication : status?.replication;
}

interface Found {
  readonly statefulSet: DeepReadonly<StatefulSet> | undefined;
  readonly pods: readonly DeepReadonly<Pod>[];
  readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[];
}

function readCached(context: Context, { metadata }: Instance): Found {
  const { namespace, name } = metadata;
  const ours = { namespace, selector: selectorFromLabels(labelsOf(name)) };
  return {
    statefulSet: context.read(StatefulSet).get({ namespace, name: namesOf(name).statefulSet }),
    pods: context.read(Pod).list(ours),
    claims: context.read(PersistentVolumeClaim).list(ours),
  };
}

/** The StatefulSet first: what its controller made is there before it is gone. */
async function readLive({ client, signal }: Context, { metadata }: Instance): Promise<Found> {
  const { namespace, name } = metadata;
  const ours = { namespace, labelSelector: labelsOf(name), signal };
  const statefulSet = await ifFound(
    client.of(StatefulSet).get({ namespace, name: namesOf(name).statefulSet }, { signal }),
  );
  const { items: pods } = await client.of(Pod).list(ours).all();
  // What a StatefulSet uses it finds by names alone: as long as it is there, so do we.
  const claimsOf = statefulSet === undefined ? ours : { namespace, signal };
  const { items: claims } = await client.of(PersistentVolumeClaim).list(claimsOf).all();
  return { statefulSet, pods, claims };
}

/** A label could be on anybody's pod: it is one of ours when our StatefulSet has it, or nobody. */
function isPodOf(pod: DeepReadonly<Pod>, statefulSet: DeepReadonly<StatefulSet> | undefined): boolean {
  const owner = controllerOf(pod);
  return owner === undefined || (statefulSet !== undefined && owner.uid === statefulSet.metadata.uid);
}

/**
 * Ours have the name that our StatefulSet gives, and our labels. One of such a name without them is its, too, as long as
 * it is there and nobody else says that the claim is theirs.
 */
function sortClaims(
  { metadata: { name } }: Instance,
  { claims, statefulSet }: Found,
): Pick<Observed, "claims" | "unlabelledClaims"> {
  const named = claims.filter(({ metadata }) => isClaimName(name, metadata.name));
  const isLabelled = ({ metadata }: DeepReadonly<PersistentVolumeClaim>): boolean =>
    Object.entries(labelsOf(name)).every(([label, value]) => metadata.labels?.[label] === value);
  const isFree = (claim: DeepReadonly<PersistentVolumeClaim>): boolean =>
    controllerOf(claim) === undefined && [undefined, name].includes(claim.metadata.labels?.[instanceLabel]);
  return {
    claims: named.filter(isLabelled),
    unlabelledClaims:
      statefulSet === undefined ? [] : named.filter((claim) => !isLabelled(claim) && isFree(claim)),
  };
}

/** `redis-data-<instance>-<ordinal>`; a label could be on anybody's claim. */
function isClaimName(instance: string, name: string): boolean {
  const prefix = `${dataVolume}-${instance}-`;
  return name.startsWith(prefix) && /^\d+$/u.test(name.slice(prefix.length));
}
