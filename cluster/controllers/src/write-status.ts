import type { Named, PartClient } from "@kedge/client";
import { clone, deepEqual, type DeepReadonly, type Draft, type StoredMeta } from "@kedge/machinery";

/**
 * Replaces the status as the original controllers do: an update that carries the resourceVersion, sent only when
 * something changed.
 */
export async function writeStatusAsUpdate<T extends { metadata: StoredMeta; status?: unknown }>(
  statuses: Pick<PartClient<T, "Namespaced">, "replace">,
  object: DeepReadonly<T>,
  status: NonNullable<T["status"]>,
): Promise<void> {
  if (deepEqual(object.status, clone(status))) return;
  // Without managedFields the server keeps its own.
  const metadata = { ...object.metadata, managedFields: undefined };
  await statuses.replace(sameKind<T>({ ...object, metadata, status }));
}

/** The object is the kind's own, with another status: TypeScript cannot follow a spread through a conditional type. */
function sameKind<T>(object: object): DeepReadonly<Named<Draft<T>>>;
function sameKind(object: object): object {
  return object;
}
