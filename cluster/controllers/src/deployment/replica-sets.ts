import {
  clone,
  controllerReference,
  deepEqual,
  withTypeMeta,
  type DeepReadonly,
  type Draft,
} from "@kedge/machinery";
import { Deployment, type ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import type { PodTemplateSpec } from "@kedge/machinery/kinds/core/v1";
import { contentHash } from "../pods/content-hash.ts";

type AnySet = DeepReadonly<ReplicaSet>;

/** The label that keeps the pods of one template apart from another's. */
export const hashLabel = "pod-template-hash";
/** Counts the templates of a deployment. */
export const revisionAnnotation = "deployment.kubernetes.io/revision";
/** Earlier numbers of a template that was used again. */
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const mostAnnotation = "deployment.kubernetes.io/max-replicas";

/** The replica set of the spec's template; undefined when there is none yet. The oldest counts. */
export function newReplicaSetOf(
  deployment: DeepReadonly<Deployment>,
  owned: readonly AnySet[],
): AnySet | undefined {
  const wanted = withoutHash(deployment.spec.template);
  return oldestFirst(owned).find(({ spec }) => deepEqual(withoutHash(spec.template ?? {}), wanted));
}

/** In the order of their creation, then of their names. */
export function oldestFirst(replicaSets: readonly AnySet[]): readonly AnySet[] {
  const age = ({ metadata }: AnySet): string => `${metadata.creationTimestamp} ${metadata.name}`;
  return replicaSets.toSorted((one, other) => (age(one) < age(other) ? -1 : 1));
}

/** The other way round. */
export function newestFirst(replicaSets: readonly AnySet[]): readonly AnySet[] {
  return oldestFirst(replicaSets).toReversed();
}

/** How many pods it is to have. */
export function sizeOf({ spec }: AnySet): number {
  return spec.replicas ?? 1;
}

/** How many of its pods have been ready for long enough. */
export function availableOf({ status }: AnySet): number {
  return status?.availableReplicas ?? 0;
}

/** The number of a replica set's template. */
export function revisionOf(replicaSet: AnySet): number {
  return numberIn(replicaSet, revisionAnnotation) ?? 0;
}

/** The size of the deployment when the replica set was last given its own. */
export function desiredOf(replicaSet: AnySet): number | undefined {
  return numberIn(replicaSet, desiredAnnotation);
}

/** How many pods the deployment was allowed then. */
export function mostOf(replicaSet: AnySet): number | undefined {
  return numberIn(replicaSet, mostAnnotation);
}

/** The replica set for a template that was never seen before. */
export function draftReplicaSet(
  deployment: DeepReadonly<Deployment>,
  options: { readonly replicas: number; readonly revision: number; readonly most: number },
): Draft<ReplicaSet> & { metadata: { name: string } } {
  const owner = withTypeMeta(Deployment, deployment);
  const template = clone(deployment.spec.template);
  const hash = contentHash(template, deployment.status?.collisionCount ?? 0);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const selector = clone(deployment.spec.selector);
  return {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace,
      labels,
      annotations: {
        ...inherited(deployment),
        ...sizeAnnotations(deployment, options.most),
        [revisionAnnotation]: String(options.revision),
      },
      ownerReferences: [controllerReference(owner)],
    },
    spec: {
      replicas: options.replicas,
      ...(deployment.spec.minReadySeconds === undefined
        ? {}
        : { minReadySeconds: deployment.spec.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** What a replica set says about its deployment's size. */
export function sizeAnnotations(deployment: DeepReadonly<Deployment>, most: number): Record<string, string> {
  return { [desiredAnnotation]: String(deployment.spec.replicas ?? 1), [mostAnnotation]: String(most) };
}

/** The annotations that the replica set of the spec's template is to have: those of its deployment, and the newest number. */
export function alignedAnnotations(
  deployment: DeepReadonly<Deployment>,
  current: AnySet,
  newest: number,
): Record<string, string> {
  const before = revisionOf(current);
  const annotations = { ...current.metadata.annotations, ...inherited(deployment) };
  if (before >= newest) return annotations;
  const history = annotations[historyAnnotation];
  return {
    ...annotations,
    [revisionAnnotation]: String(newest),
    ...(before === 0
      ? {}
      : { [historyAnnotation]: history === undefined ? String(before) : `${history},${before}` }),
  };
}

/** A deployment's own annotations, but those that are about the deployment alone. */
function inherited({ metadata }: DeepReadonly<Deployment>): Record<string, string> {
  const own = new Set([
    "kubectl.kubernetes.io/last-applied-configuration",
    revisionAnnotation,
    historyAnnotation,
    desiredAnnotation,
    mostAnnotation,
  ]);
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !own.has(name)));
}

function numberIn({ metadata }: AnySet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text !== undefined && /^\d{1,10}$/u.test(text) ? Number(text) : undefined;
}

function withoutHash(template: DeepReadonly<PodTemplateSpec>): unknown {
  const { [hashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return clone({ ...template, metadata: { ...template.metadata, labels } });
}
