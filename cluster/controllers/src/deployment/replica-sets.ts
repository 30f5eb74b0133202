import {
  apiVersionOf,
  clone,
  controllerReference,
  deepEqual,
  type DeepReadonly,
  type Draft,
} from "@kedge/machinery";
import { Deployment, type ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import type { PodTemplateSpec } from "@kedge/machinery/kinds/core/v1";
import { contentHash } from "../pods/content-hash.ts";

/** The label that keeps the pods of one template apart from another's. */
export const hashLabel = "pod-template-hash";
/** Counts the templates of a deployment. */
export const revisionAnnotation = "deployment.kubernetes.io/revision";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const mostAnnotation = "deployment.kubernetes.io/max-replicas";

/** The replica set of the spec's template; undefined when there is none yet. The oldest counts. */
export function newReplicaSetOf(
  deployment: DeepReadonly<Deployment>,
  owned: readonly DeepReadonly<ReplicaSet>[],
): DeepReadonly<ReplicaSet> | undefined {
  return owned
    .filter(({ spec }) => deepEqual(withoutHash(spec.template ?? {}), withoutHash(deployment.spec.template)))
    .toSorted((one, other) =>
      one.metadata.creationTimestamp < other.metadata.creationTimestamp ? -1 : 1,
    )[0];
}

/** The number of a replica set's template. */
export function revisionOf(replicaSet: DeepReadonly<ReplicaSet>): number {
  return Number(replicaSet.metadata.annotations?.[revisionAnnotation] ?? 0);
}

/** The replica set for a template that was never seen before. */
export function draftReplicaSet(
  deployment: DeepReadonly<Deployment>,
  options: { readonly replicas: number; readonly revision: number; readonly most: number },
): Draft<ReplicaSet> {
  const owner = { ...deployment, apiVersion: apiVersionOf(Deployment), kind: Deployment.kind };
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

/** A deployment's own annotations, but those that are about the deployment alone. */
function inherited({ metadata }: DeepReadonly<Deployment>): Record<string, string> {
  const own = new Set([
    "kubectl.kubernetes.io/last-applied-configuration",
    revisionAnnotation,
    desiredAnnotation,
    mostAnnotation,
  ]);
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !own.has(name)));
}

function withoutHash(template: DeepReadonly<PodTemplateSpec>): unknown {
  const { [hashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return clone({ ...template, metadata: { ...template.metadata, labels } });
}
