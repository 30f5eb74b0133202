import { applyMergePatch, deepEqual, messageOf, StatusError } from "@kedge/machinery";
import { keepTimes, serverSideApply, trackUpdate, type FieldManagerOptions } from "@kedge/machinery/apply";
import type { Step } from "../generate/apply-steps.ts";
import { isObject, objectAt, type JsonObject } from "../json.ts";
import type { ApplyKind } from "./apply-kinds.ts";

/** What a write made of the object, or why it was refused. */
export type Outcome =
  | { readonly object: JsonObject; readonly written: boolean }
  | { readonly status: number; readonly text: string; readonly causes?: unknown };

/** When the objects of the recordings were last written to. */
export const earlier = "2026-01-01T00:00:00Z";
const now = "2026-01-02T00:00:00Z";

/** The address and the kind of an object, as every write names them. */
export interface Identity {
  readonly name: string;
  readonly namespace: string;
}

/** What our code makes of a write to an object, which is undefined for one that does not exist. */
export function simulate(
  kind: ApplyKind,
  live: JsonObject | undefined,
  step: Step,
  identity: Identity,
): Outcome {
  const isStatus = "status" in step;
  const options = isStatus ? kind.status : kind.options;
  if (options === undefined) throw new Error(`${kind.options.kind} has no status to write to`);
  const { apiVersion, kind: kindName, emptyObject } = options;
  const before = live ?? emptyObject ?? { apiVersion, kind: kindName };
  try {
    const after = write(before, { kind, options, step, identity });
    const object = isStatus ? onlyStatus(before, after) : withStatusOf(before, after, kind);
    const kept = live === undefined ? object : keepTimes(live, object);
    return { object, written: live === undefined || !deepEqual(kept, live) };
  } catch (error) {
    if (error instanceof StatusError) {
      const { code, message, details } = error.status;
      return { status: code ?? 0, text: message ?? "", causes: details?.causes };
    }
    return { status: 500, text: messageOf(error) };
  }
}

interface Write {
  readonly kind: ApplyKind;
  readonly options: FieldManagerOptions;
  readonly step: Step;
  readonly identity: Identity;
}

function write(before: JsonObject, { kind, options, step, identity }: Write): JsonObject {
  const writer = { manager: step.by, time: now } as const;
  const read = (object: JsonObject): JsonObject => kind.typed(kind.defaulted?.(object) ?? object);
  if ("apply" in step) {
    const applied = fullObject(options, step.apply, { name: identity.name });
    const { force } = step;
    return read(serverSideApply({ ...writer, live: before, applied, force }, options));
  }
  const updated =
    "create" in step
      ? fullObject(options, step.create, { ...identity })
      : (applyMergePatch(before, "merge" in step ? step.merge : step.put) as JsonObject);
  const sent = "put" in step ? withManagedFields(updated, step.managedFields) : updated;
  return trackUpdate({ ...writer, live: before, updated: read(sent) }, options);
}

/** What a client sends: with the kind and the name. */
export function fullObject(
  { apiVersion, kind }: Pick<FieldManagerOptions, "apiVersion" | "kind">,
  part: JsonObject,
  identity: JsonObject,
): JsonObject {
  return { apiVersion, kind, ...part, metadata: { ...objectAt(part, "metadata"), ...identity } };
}

/** What a client that read an object does with its managedFields when it writes it back. */
export function withManagedFields(object: JsonObject, how: "kept" | "left out" | "reset"): JsonObject {
  if (how === "kept") return object;
  const { managedFields: _, ...metadata } = objectAt(object, "metadata");
  return { ...object, metadata: how === "reset" ? { ...metadata, managedFields: [{}] } : metadata };
}

/** Writers of the status change nothing else. */
function onlyStatus(before: JsonObject, after: JsonObject): JsonObject {
  const { managedFields } = objectAt(after, "metadata");
  const metadata = { ...objectAt(before, "metadata"), managedFields };
  return { ...before, metadata, ...(isObject(after["status"]) ? { status: after["status"] } : {}) };
}

/** Writers of the object do not change the status, where that has an endpoint of its own. */
function withStatusOf(before: JsonObject, after: JsonObject, kind: ApplyKind): JsonObject {
  if (kind.status === undefined) return after;
  const { status: _, ...rest } = after;
  return before["status"] === undefined ? rest : { ...rest, status: before["status"] };
}
