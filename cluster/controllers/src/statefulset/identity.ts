import { clone, withTypeMeta, type DeepReadonly, type Draft } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from "@kedge/machinery/kinds/core/v1";
import { podFromTemplate } from "../pods/pod-from-template.ts";

/** The label that says which revision of the template a pod was made by. */
export const revisionLabel = "controller-revision-hash";

/** The place of a pod in its set, by its name; undefined when it is none of the set's names. */
export function ordinalOf(setName: string, podName: string): number | undefined {
  if (!podName.startsWith(`${setName}-`)) return undefined;
  const rest = podName.slice(setName.length + 1);
  return /^(?:0|[1-9]\d{0,9})$/u.test(rest) ? Number(rest) : undefined;
}

/** The name of the pod at a place. */
export function nameAt(set: DeepReadonly<StatefulSet>, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

/** The names of the claims of a place. */
export function claimNames(set: DeepReadonly<StatefulSet>, ordinal: number): readonly string[] {
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) =>
    claimName(set, metadata.name ?? "", ordinal),
  );
}

/** Whether a claim of this name is of a place of the set. */
export function isClaimOf(set: DeepReadonly<StatefulSet>, name: string): boolean {
  return (set.spec.volumeClaimTemplates ?? []).some(
    ({ metadata }) => ordinalOf(`${metadata.name ?? ""}-${set.metadata.name}`, name) !== undefined,
  );
}

/** The pod of a place, by a revision's template. */
export function podAt(
  set: DeepReadonly<StatefulSet>,
  ordinal: number,
  revision: { readonly name: string; readonly template: DeepReadonly<PodTemplateSpec> },
): Draft<Pod> {
  const name = nameAt(set, ordinal);
  const owner = withTypeMeta(StatefulSet, set);
  const pod = podFromTemplate(revision.template, owner, { name, generateName: `${set.metadata.name}-` });
  Object.assign(pod.metadata.labels, {
    "statefulset.kubernetes.io/pod-name": name,
    "apps.kubernetes.io/pod-index": String(ordinal),
    [revisionLabel]: revision.name,
  });
  pod.spec.hostname = name;
  pod.spec.subdomain = set.spec.serviceName;
  pod.spec.volumes = withClaims(set, ordinal, pod.spec.volumes ?? []);
  return pod;
}

/** The claims of a place. They carry the set's labels, and have no owner at first: by default they outlive the set. */
export function claimsAt(
  set: DeepReadonly<StatefulSet>,
  ordinal: number,
): readonly (Draft<PersistentVolumeClaim> & { metadata: { name: string } })[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => {
    const claim = clone(template);
    return {
      ...claim,
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        ...claim.metadata,
        name: claimName(set, template.metadata.name ?? "", ordinal),
        namespace: set.metadata.namespace,
        labels: { ...claim.metadata.labels, ...clone(set.spec.selector.matchLabels ?? {}) },
      },
    };
  });
}

/** Volumes named like a claim template are that place's claim. */
function withClaims(set: DeepReadonly<StatefulSet>, ordinal: number, volumes: readonly Volume[]): Volume[] {
  const templates = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? "");
  const claims = templates.map((name) => ({
    name,
    persistentVolumeClaim: { claimName: claimName(set, name, ordinal) },
  }));
  return [...claims, ...volumes.filter(({ name }) => !templates.includes(name))];
}

function claimName(set: DeepReadonly<StatefulSet>, template: string, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}
