import {
  clone,
  controllerReference,
  deepEqual,
  withTypeMeta,
  type DeepReadonly,
  type Draft,
} from "@kedge/machinery";
import { StatefulSet, type ControllerRevision } from "@kedge/machinery/kinds/apps/v1";
import type { PodTemplateSpec } from "@kedge/machinery/kinds/core/v1";
import { contentHash } from "../pods/content-hash.ts";

/** What a revision's name ends with. */
const hashLabel = "controller.kubernetes.io/hash";

/** A template that the set has, or had. */
export interface Revision {
  readonly name: string;
  readonly template: DeepReadonly<PodTemplateSpec>;
}

/** The templates that matter, and what must be written so that they are remembered. */
export interface RevisionPlan {
  /** What running pods were made by, until an update is complete. */
  readonly current: Revision;
  /** The spec's own. */
  readonly update: Revision;
  /** To be created, when the spec's template was never seen before. */
  readonly create: (Draft<ControllerRevision> & { metadata: { name: string } }) | undefined;
  /** To be given the newest number, when the spec went back to a template it had before. */
  readonly renumber:
    | { readonly revision: DeepReadonly<ControllerRevision>; readonly number: number }
    | undefined;
  /** No longer needed, the oldest first. */
  readonly forget: readonly DeepReadonly<ControllerRevision>[];
}

/** Finds the revisions of a set among those that it owns. `used` are the names that its pods carry. */
export function planRevisions(
  set: DeepReadonly<StatefulSet>,
  owned: readonly DeepReadonly<ControllerRevision>[],
  used: ReadonlySet<string>,
): RevisionPlan {
  const known = owned.toSorted((one, other) => one.revision - other.revision);
  const newest = known.at(-1)?.revision ?? 0;
  const data = dataOf(set.spec.template);
  const same = known.findLast((revision) => deepEqual(revision.data, data));
  const made = same === undefined ? newRevision(set, data, newest + 1, known) : undefined;
  const update = { name: same?.metadata.name ?? made?.metadata.name ?? "", template: set.spec.template };
  const before = known.find(({ metadata }) => metadata.name === set.status?.currentRevision);
  const current =
    before === undefined ? update : { name: before.metadata.name, template: templateOf(before) };
  const kept = new Set([...used, update.name, current.name]);
  const history = known.filter(({ metadata }) => !kept.has(metadata.name));
  return {
    current,
    update,
    // The garbage collector takes the revisions of a set that goes: made again, they would hold it up.
    create: set.metadata.deletionTimestamp === undefined ? made : undefined,
    renumber:
      same !== undefined && same.revision < newest ? { revision: same, number: newest + 1 } : undefined,
    forget: history.slice(0, Math.max(0, history.length - (set.spec.revisionHistoryLimit ?? 10))),
  };
}

function newRevision(
  set: DeepReadonly<StatefulSet>,
  data: Record<string, unknown>,
  revision: number,
  known: readonly DeepReadonly<ControllerRevision>[],
): Draft<ControllerRevision> & { metadata: { name: string } } {
  const owner = withTypeMeta(StatefulSet, set);
  // Another template with the same hash is there already: the next attempt has another name.
  const taken = new Set(known.map(({ metadata }) => metadata.name));
  let attempt = set.status?.collisionCount ?? 0;
  const nameFor = (): string => `${set.metadata.name}-${contentHash(data, attempt)}`;
  while (taken.has(nameFor())) attempt++;
  return {
    metadata: {
      name: nameFor(),
      namespace: set.metadata.namespace,
      labels: {
        ...clone(set.spec.template.metadata?.labels ?? {}),
        [hashLabel]: contentHash(data, attempt),
      },
      annotations: clone(set.metadata.annotations ?? {}),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision,
  };
}

/** A strategic merge patch that puts the template back, as Kubernetes keeps it. */
function dataOf(template: DeepReadonly<PodTemplateSpec>): Record<string, unknown> {
  return { spec: { template: { ...clone(template), $patch: "replace" } } };
}

function templateOf(revision: DeepReadonly<ControllerRevision>): DeepReadonly<PodTemplateSpec> {
  const { $patch: _, ...template } = fieldOf(fieldOf(revision.data, "spec"), "template");
  return template;
}

/** Revisions are written by `newRevision`, or by Kubernetes in the same form. */
function fieldOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const entries = Object.entries(value ?? {});
  const field: unknown = entries.find(([key]) => key === name)?.[1];
  return Object.fromEntries(Object.entries(field ?? {}));
}
