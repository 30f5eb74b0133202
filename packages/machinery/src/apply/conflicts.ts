import { goQuote } from "../go/go-quote.ts";
import { applyConflict } from "../errors/status-errors.ts";
import type { StatusError } from "../errors/status.ts";
import { pathsOf, pathText, type FieldPath, type FieldSet } from "./field-set.ts";
import type { Manager } from "./managers.ts";
import { compareText } from "../go/text-order.ts";

/** A field that an applier wants to change, and that belongs to another. */
export interface Conflict {
  readonly manager: Manager;
  readonly path: FieldPath;
}

/** An apply would change fields of others. Internal: callers of `serverSideApply` see a `StatusError`. */
export class ApplyConflicts extends Error {
  override readonly name = "ApplyConflicts";
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(conflictText(conflicts));
    this.conflicts = conflicts;
  }
}

/** The conflicts about these sets, by the ids of the managers, then in the order of the paths. */
export function conflictsOf(sets: Iterable<readonly [Manager, FieldSet]>): readonly Conflict[] {
  return [...sets]
    .toSorted(([a], [b]) => compareText(a.id, b.id))
    .flatMap(([manager, fields]) => pathsOf(fields).map((path) => ({ manager, path })));
}

/** So many conflicts are told. Kubernetes tells all. */
const mostConflicts = 1000;

/** The answer to a client: 409 with a cause for each field. */
export function conflictStatus(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.slice(0, mostConflicts).map(({ manager, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${managerText(manager)}`,
    field: pathText(path),
  }));
  return applyConflict(causes, conflictText(conflicts));
}

function conflictText(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${managerText(first.manager)}: ${pathText(first.path)}`;
  }
  const told = conflicts.slice(0, mostConflicts);
  const byManager = Map.groupBy(told, ({ manager }) => manager);
  const lines = [...byManager].flatMap(([manager, own]) => [
    `conflicts with ${managerText(manager)}:`,
    ...own.map(({ path }) => `- ${pathText(path)}`),
  ]);
  const left = conflicts.length - told.length;
  if (left > 0) lines.push(`and ${left} more`);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function managerText({ name, subresource, operation, apiVersion }: Manager): string {
  const who =
    subresource === "" ? goQuote(name) : `${goQuote(name)} with subresource ${goQuote(subresource)}`;
  return operation === "Update" ? `${who} using ${apiVersion}` : who;
}
