import type { ObservedWrite, WriteObserver } from "@kedge/client";
import { keyOf, type Logger, type ObjectKey } from "@kedge/machinery";
import { promised, type StoredView } from "../informer/stored-view.ts";

/**
 * Says once of each write what was done: an operator's log tells all that it changed, and nothing that it left as it was.
 * A status is what was seen, nothing that was done: it is told at the level debug.
 */
export function logWrites(logger: Logger, level: "info" | "debug"): WriteObserver {
  return () => (write) => {
    const { kind, verb, subresource } = write;
    const { namespace, name } = keyIn(write);
    logger[subresource === "status" ? "debug" : level]("Written", {
      action: verb,
      kind: kind.kind,
      ...(subresource !== undefined && { subresource }),
      ...(namespace !== undefined && { namespace }),
      name,
    });
  };
}

/** Of what the server may have named, the answer says the name. */
function keyIn({ key, answer }: ObservedWrite): ObjectKey {
  return key ?? keyOf(promised<StoredView>(answer));
}
