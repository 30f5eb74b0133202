import { conflict } from "@kedge/machinery";
import type { DeletePreferences, Resource, StoredApiObject } from "./types.ts";

/** Throws a conflict when an object is not the one, or not the version, that is to be deleted. */
export function checkPreconditions(
  resource: Resource,
  current: StoredApiObject,
  preferences: DeletePreferences,
): void {
  const { uid = "", resourceVersion: version = "", name = "" } = current.metadata;
  const kind = { group: resource.group, plural: resource.kind };
  const faults = [
    ["UID", preferences.uid, uid],
    ["ResourceVersion", preferences.resourceVersion, version],
  ] as const;
  // Namespaces have words of their own.
  const fault = faults.find(([, wanted, is]) => wanted !== undefined && wanted !== is);
  if (fault !== undefined && resource.strategy.holdsDeletion !== undefined) {
    const [what, wanted = "", is] = fault;
    throw conflict(
      resource,
      name,
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${is}`,
    );
  }
  if (preferences.uid !== undefined && preferences.uid !== uid) {
    throw conflict(
      kind,
      name,
      `the UID in the precondition (${preferences.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (preferences.resourceVersion !== undefined && preferences.resourceVersion !== version) {
    throw conflict(
      kind,
      name,
      `the ResourceVersion in the precondition (${preferences.resourceVersion}) does not match the ResourceVersion in record (${version}). The object might have been modified`,
    );
  }
}
