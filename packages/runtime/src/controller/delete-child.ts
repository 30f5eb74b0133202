import {
  isNotFound,
  type Kind,
  type ObjectKey,
  type Scope,
  type StoredObject,
  type Uid,
} from "@kedge/machinery";
import type { DeleteOptions } from "@kedge/client";
import { promised } from "../informer/stored-view.ts";
import type { WritingContext } from "./types.ts";

/** Which object is to go: this one, not another that has its name by now. */
export interface ChildToDelete extends ObjectKey {
  readonly uid: Uid;
}

/** Deletes that very object; one that is gone already is fine, another of its name is a conflict. */
export async function deleteChild<T, S extends Scope, Sub extends string>(
  { client, signal }: Pick<WritingContext, "client" | "signal">,
  kind: Kind<T, S, Sub>,
  { namespace, name, uid }: ChildToDelete,
  options: Pick<DeleteOptions, "propagation"> = {},
): Promise<void> {
  const resource = client.of(promised<Kind<StoredObject>>(kind));
  try {
    await resource.delete(promised({ namespace, name }), { ...options, preconditions: { uid }, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
