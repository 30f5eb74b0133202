import { controllerReference, resourceVersion, uid, type DeepReadonly } from "@kedge/machinery";
import type { StatefulSet, StatefulSetStatus } from "@kedge/machinery/kinds/apps/v1";
import type { Pod, PodStatus } from "@kedge/machinery/kinds/core/v1";
import { withDefaults, type InputOf } from "@kedge/schema";
import { RedisInstance } from "../kind.ts";
import { finalizer } from "../names.ts";
import type { Observed } from "../observe.ts";
import { statefulSetOf } from "../specs/stateful-set.ts";

type Spec = Partial<InputOf<typeof RedisInstance>["spec"]>;
type Instance = DeepReadonly<RedisInstance>;

const stored = {
  resourceVersion: resourceVersion("7"),
  creationTimestamp: "2026-11-16T00:00:00Z",
};

/** An instance `cache` in the namespace `shop`, with our finalizer. */
export function instanceOf(
  spec: Spec = {},
  more: { readonly status?: Instance["status"]; readonly metadata?: Partial<Instance["metadata"]> } = {},
): Instance {
  const metadata = {
    ...stored,
    namespace: "shop",
    name: "cache",
    uid: uid("instance-uid"),
    generation: 1,
    finalizers: [finalizer],
    ...more.metadata,
  };
  const {
    apiVersion,
    kind,
    spec: full,
  } = withDefaults(RedisInstance, {
    metadata: { name: "cache" },
    spec: { image: "redis:7.0", ...spec },
  });
  return {
    apiVersion,
    kind,
    metadata,
    spec: full,
    ...(more.status !== undefined && { status: more.status }),
  };
}

/** The StatefulSet of an instance as the server has it. */
export function statefulSetFor(
  instance: Instance,
  status?: StatefulSetStatus,
  generation = 1,
): DeepReadonly<StatefulSet> {
  const { metadata, spec } = instance;
  const applied = statefulSetOf(metadata, {
    image: spec.image,
    replicas: spec.replicas,
    resources: undefined,
    storage: { size: String(spec.storage.size), storageClassName: spec.storage.storageClassName },
    authEnabled: spec.auth.enabled,
    configHash: "hash",
    placing: { labels: {}, annotations: {}, priorityClassName: undefined },
  });
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      ...stored,
      namespace: "shop",
      name: "cache",
      uid: uid("set-uid"),
      generation,
      ownerReferences: [controllerReference(instance)],
    },
    spec: applied.spec as NonNullable<StatefulSet["spec"]>,
    ...(status !== undefined && { status }),
  };
}

/** A StatefulSet's status when all is as it should be. */
export function rolledOut(replicas: number, observedGeneration = 1): StatefulSetStatus {
  return {
    observedGeneration,
    replicas,
    readyReplicas: replicas,
    updatedReplicas: replicas,
    currentRevision: "r1",
    updateRevision: "r1",
  };
}

/** A pod of the instance, of the template with that revision. */
export function podOf(name: string, status: PodStatus, revision = "r1"): DeepReadonly<Pod> {
  const labels = { "controller-revision-hash": revision };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...stored, namespace: "shop", name, uid: uid(name), labels },
    spec: { containers: [] },
    status,
  };
}

/** What there is of an instance: nothing but itself, unless said. */
export function observedOf(instance: Instance, there: Partial<Observed> = {}): Observed {
  return {
    instance,
    configMap: undefined,
    configCopies: [],
    statefulSet: undefined,
    isNameTaken: false,
    password: "there",
    peers: undefined,
    service: undefined,
    pods: [],
    claims: [],
    unlabelledClaims: [],
    expandableClasses: new Set(["local-path"]),
    failedCreations: [],
    extras: { children: [], unserved: [] },
    exporters: undefined,
    binding: "there",
    credentials: {
      secret: "there",
      marker: undefined,
      exporterPassword: "0123456789",
      client: "none",
      system: "none",
      untried: [],
      missing: [],
      expiresInMs: undefined,
    },
    userTrials: [],
    replication: undefined,
    servers: [],
    configTrial: undefined,
    now: 0,
    ...there,
  };
}
