import type { ApiObject, Resource } from "../registry/types.ts";

/**
 * Fills in an object's defaults. Its managedFields stay as they were sent: an empty list, which defaulting takes for
 * nothing, is the order to forget all managers.
 */
export function defaultKeepingManagers({ strategy, custom }: Resource, object: ApiObject): void {
  const { managedFields } = object.metadata;
  custom?.default(object);
  strategy.default?.(object);
  if (managedFields !== undefined) object.metadata.managedFields = managedFields;
}
