import type { Kind, Logger, ObjectKey } from "@kedge/machinery";

/** What a run has done to an object. */
export type WriteAction = "created" | "applied" | "patched" | "deleted";

/** Says once what was done: an operator's log tells all that it changed, and nothing that it left as it was. */
export function logWrite(
  logger: Logger,
  action: WriteAction,
  { kind, key }: { readonly kind: Kind<unknown>; readonly key: ObjectKey },
): void {
  const { namespace, name } = key;
  logger.info("Written", { action, kind: kind.kind, ...(namespace !== undefined && { namespace }), name });
}
