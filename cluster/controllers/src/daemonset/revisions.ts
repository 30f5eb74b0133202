import { deepEqual, withTypeMeta, type DeepReadonly } from "@kedge/machinery";
import { DaemonSet, type ControllerRevision } from "@kedge/machinery/kinds/apps/v1";
import { newRevision, templateData, type RevisionWrites } from "../revisions/new-revision.ts";
import { hashLabel } from "./new-pod.ts";

/** The revisions of a daemon set. */
export interface DaemonRevisionPlan extends RevisionWrites {
  /** Of the spec's template: what its pods carry. */
  readonly hash: string;
}

/** Finds the revisions of a set among those that it owns. `used` are the hashes that its pods carry. */
export function planDaemonRevisions(
  set: DeepReadonly<DaemonSet>,
  owned: readonly DeepReadonly<ControllerRevision>[],
  used: ReadonlySet<string>,
): DaemonRevisionPlan {
  const known = owned.toSorted((one, other) => one.revision - other.revision);
  const data = templateData(set.spec.template);
  const same = known.findLast((revision) => deepEqual(revision.data, data));
  const old = known.filter((revision) => revision !== same);
  const number = (old.at(-1)?.revision ?? 0) + 1;
  const create =
    same === undefined
      ? newRevision(withTypeMeta(DaemonSet, set), known, { data, number, hashLabel })
      : undefined;
  const surplus = Math.max(0, old.length - (set.spec.revisionHistoryLimit ?? 10));
  return {
    hash: (same ?? create)?.metadata.labels?.[hashLabel] ?? "",
    create,
    renumber: same !== undefined && same.revision < number ? { revision: same, number } : undefined,
    forget: old.filter((revision) => !used.has(hashOf(revision))).slice(0, surplus),
  };
}

function hashOf({ metadata }: DeepReadonly<ControllerRevision>): string {
  return metadata.labels?.[hashLabel] ?? "";
}
