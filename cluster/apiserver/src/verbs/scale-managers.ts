import { isJsonObject, type ManagedFieldsEntry } from "@kedge/machinery";
import {
  difference,
  fieldElement,
  hasPath,
  isEmptySet,
  readManagedFields,
  setOf,
  writeManagedFields,
  type FieldPath,
} from "@kedge/machinery/apply";
import type { Registry, Resource } from "../registry/types.ts";

/** The kind that a subresource scale has in all groups. */
export const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

const scaleVersion = `${scaleKind.group}/${scaleKind.version}`;
const replicasOfScale: FieldPath = [fieldElement("spec"), fieldElement("replicas")];

type Entries = readonly ManagedFieldsEntry[] | undefined;

/** Tells where objects of a version have their replicas: undefined when nobody knows, null when they have none. */
export type ReplicasPaths = (apiVersion: string) => FieldPath | null | undefined;

/** The paths of all versions in which a resource is served. */
export function replicasPaths(registry: Registry, { group, kind }: Resource): ReplicasPaths {
  return (apiVersion) => {
    const [served, version = ""] = group === "" ? ["", apiVersion] : apiVersion.split("/");
    const resource = served === group ? registry.byKind(group, kind, version) : undefined;
    if (resource === undefined) return undefined;
    const scale = resource.subresources.get("scale");
    if (scale?.type !== "scale") return null;
    return scale.specReplicasPath
      .split(".")
      .filter((part) => part !== "")
      .map((part) => fieldElement(part));
  };
}

/** The managedFields of a Scale: those who own the replicas of the object own them in it. */
export function managersOfScale(entries: Entries, paths: ReplicasPaths): ManagedFieldsEntry[] | undefined {
  const owners = [...readManagedFields(entries)].flatMap(([id, manager]) => {
    const path = paths(manager.apiVersion);
    if (path === undefined || path === null || !hasPath(manager.fields, path)) return [];
    return [[id, { ...manager, apiVersion: scaleVersion, fields: setOf([replicasOfScale]) }] as const];
  });
  return writeManagedFields(new Map(owners));
}

/** The managedFields of the object after those of its Scale became `scaled`. When that was, Kubernetes does not say. */
export function managersOfParent(
  entries: Entries,
  scaled: unknown,
  { apiVersion, paths }: { readonly apiVersion: string; readonly paths: ReplicasPaths },
): ManagedFieldsEntry[] | undefined {
  const known = readManagedFields(entries);
  const owners = new Map(readManagedFields(scaled));
  const managers = new Map<string, typeof known extends ReadonlyMap<string, infer M> ? M : never>();
  for (const [id, manager] of known) {
    const path = paths(manager.apiVersion);
    if (path === undefined) continue;
    if (path === null || !hasPath(manager.fields, path) || owners.delete(id)) {
      managers.set(id, manager);
      continue;
    }
    const fields = difference(manager.fields, setOf([path]));
    if (!isEmptySet(fields)) managers.set(id, { ...manager, fields });
  }
  for (const [id, manager] of owners) {
    if (!hasPath(manager.fields, replicasOfScale)) continue;
    const fields = setOf([paths(apiVersion) ?? replicasOfScale]);
    managers.set(id, { ...manager, apiVersion, fields, time: known.get(id)?.time });
  }
  return writeManagedFields(managers);
}

/** The managedFields of any object. */
export function managedFieldsOf({ metadata }: { readonly metadata?: unknown }): unknown {
  return isJsonObject(metadata) ? metadata["managedFields"] : undefined;
}
