import type { ApiObject } from "../../registry/types.ts";

/** Adds a finalizer, unless it is there. */
export function addFinalizer({ metadata }: ApiObject, finalizer: string): void {
  const { finalizers = [] } = metadata;
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}
