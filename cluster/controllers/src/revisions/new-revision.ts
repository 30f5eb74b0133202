import { clone, controllerReference, type DeepReadonly, type Draft, type Uid } from "@kedge/machinery";
import type { ControllerRevision } from "@kedge/machinery/kinds/apps/v1";
import type { PodTemplateSpec } from "@kedge/machinery/kinds/core/v1";
import { contentHash } from "../pods/content-hash.ts";
import { sortedKeys } from "../sorted-keys.ts";

/** A revision that is not there yet. */
export type NewRevision = Draft<ControllerRevision> & { metadata: { name: string } };

/** What must be written so that the templates of a set are remembered. */
export interface RevisionWrites {
  /** To be created, when the spec's template was never seen before. */
  readonly create: NewRevision | undefined;
  /** To be given the newest number, when the spec went back to a template it had before. */
  readonly renumber:
    | { readonly revision: DeepReadonly<ControllerRevision>; readonly number: number }
    | undefined;
  /** No longer needed, the oldest first. */
  readonly forget: readonly DeepReadonly<ControllerRevision>[];
}

/** Whose templates are remembered. */
export interface RevisionOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: Uid;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly spec: { readonly template: DeepReadonly<PodTemplateSpec> };
  readonly status?: { readonly collisionCount?: number | undefined } | undefined;
}

/** A revision of the spec's template. */
export function newRevision(
  owner: RevisionOwner,
  known: readonly DeepReadonly<ControllerRevision>[],
  {
    data,
    number,
    hashLabel,
  }: {
    readonly data: Record<string, unknown>;
    readonly number: number;
    /** Under which the hash is found again. */
    readonly hashLabel: string;
  },
): NewRevision {
  // Another template with the same hash is there already: the next attempt has another name.
  const taken = new Set(known.map(({ metadata }) => metadata.name));
  let attempt = owner.status?.collisionCount ?? 0;
  const nameFor = (): string => `${owner.metadata.name}-${contentHash(data, attempt)}`;
  while (taken.has(nameFor())) attempt++;
  return {
    metadata: {
      name: nameFor(),
      namespace: owner.metadata.namespace,
      labels: {
        ...clone(owner.spec.template.metadata?.labels ?? {}),
        [hashLabel]: contentHash(data, attempt),
      },
      annotations: clone(owner.metadata.annotations ?? {}),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision: number,
  };
}

/**
 * A strategic merge patch that puts the template back, as Kubernetes keeps it. Its keys are sorted: an API server sorts
 * them whenever it patches a revision, and takes another order of its bytes for another content, which may not change.
 */
export function templateData(template: DeepReadonly<PodTemplateSpec>): Record<string, unknown> {
  return { spec: { template: sortedKeys({ ...template, $patch: "replace" }) } };
}
