import { goQuote } from "../go/go-quote.ts";
import { applyConflict } from "../errors/status-errors.ts";
import type { StatusCause, StatusError } from "../errors/status.ts";
import { pathsOf, pathText, sizeOf, type FieldSet } from "./field-set.ts";
import type { Manager } from "./managers.ts";
import { compareText } from "../go/text-order.ts";
import type { Steps } from "../steps.ts";

/** Fields that an applier wants to change, and that belong to another. */
export interface Conflict {
  readonly manager: Manager;
  /** Never empty. */
  readonly fields: FieldSet;
}

/** An apply would change fields of others. Internal: callers of `serverSideApply` see a `StatusError`. */
export class ApplyConflicts extends Error {
  override readonly name = "ApplyConflicts";
  /** By the ids of the managers. */
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super("fields belong to others");
    this.conflicts = conflicts.toSorted((a, b) => compareText(a.manager.id, b.manager.id));
  }
}

/** So many conflicts are told. Kubernetes tells all. */
const mostConflicts = 1000;

/** The answer to a client: 409 with a cause for each field. */
export function* conflictStatus(conflicts: readonly Conflict[]): Steps<StatusError> {
  let count = 0;
  const causes: StatusCause[] = [];
  const lines: string[] = [];
  for (const { manager, fields } of conflicts) {
    yield;
    count += sizeOf(fields);
    yield;
    const who = managerText(manager);
    const told = pathsOf(fields, mostConflicts - causes.length).map(pathText);
    if (told.length > 0) lines.push(`conflicts with ${who}:`);
    for (const field of told) {
      causes.push({ reason: "FieldManagerConflict", message: `conflict with ${who}`, field });
      lines.push(`- ${field}`);
    }
  }
  const [only] = causes;
  if (count === 1 && only !== undefined)
    return applyConflict(causes, `Apply failed with 1 conflict: ${only.message ?? ""}: ${only.field ?? ""}`);
  if (count > causes.length) lines.push(`and ${count - causes.length} more`);
  return applyConflict(causes, `Apply failed with ${count} conflicts: ${lines.join("\n")}`);
}

function managerText({ name, subresource, operation, apiVersion }: Manager): string {
  const who =
    subresource === "" ? goQuote(name) : `${goQuote(name)} with subresource ${goQuote(subresource)}`;
  return operation === "Update" ? `${who} using ${apiVersion}` : who;
}
