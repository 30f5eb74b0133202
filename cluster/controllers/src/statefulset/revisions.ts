import { deepEqual, withTypeMeta, type DeepReadonly } from "@kedge/machinery";
import { StatefulSet, type ControllerRevision } from "@kedge/machinery/kinds/apps/v1";
import type { PodTemplateSpec } from "@kedge/machinery/kinds/core/v1";
import { newRevision, templateData, type RevisionWrites } from "../revisions/new-revision.ts";

/** What a revision's name ends with. */
const hashLabel = "controller.kubernetes.io/hash";

/** A template that the set has, or had. */
export interface Revision {
  readonly name: string;
  readonly template: DeepReadonly<PodTemplateSpec>;
}

/** The templates that matter, and what must be written so that they are remembered. */
export interface RevisionPlan extends RevisionWrites {
  /** What running pods were made by, until an update is complete. */
  readonly current: Revision;
  /** The spec's own. */
  readonly update: Revision;
}

/** Finds the revisions of a set among those that it owns. `used` are the names that its pods carry. */
export function planRevisions(
  set: DeepReadonly<StatefulSet>,
  owned: readonly DeepReadonly<ControllerRevision>[],
  used: ReadonlySet<string>,
): RevisionPlan {
  const known = owned.toSorted((one, other) => one.revision - other.revision);
  const newest = known.at(-1)?.revision ?? 0;
  const data = templateData(set.spec.template);
  const same = known.findLast((revision) => deepEqual(revision.data, data));
  const made =
    same === undefined
      ? newRevision(withTypeMeta(StatefulSet, set), known, {
          data,
          number: newest + 1,
          hashLabel,
        })
      : undefined;
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
