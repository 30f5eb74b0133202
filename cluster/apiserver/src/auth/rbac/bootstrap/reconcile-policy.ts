import { deepEqual, parseApiVersion, statusOf, type ObjectKey } from "@kedge/machinery";
import { ClusterRole, RoleBinding } from "@kedge/machinery/kinds/rbac/v1";
import { decodedAs, type Decoded } from "../../../registry/decoded.ts";
import type { ApiObject, Objects, Resource, StoredApiObject } from "../../../registry/types.ts";
import { missingRules } from "../covers.ts";

/**
 * Creates the roles and bindings that a cluster is to have, and adds what those that exist lack; what they have beyond
 * that stays, and whoever set the annotation autoupdate to false is left alone.
 */
export async function reconcilePolicy(objects: Objects, policy: readonly ApiObject[]): Promise<void> {
  // All at once: a store makes many small writes durable together.
  await Promise.all(policy.map((wanted) => reconcile(objects, wanted)));
}

async function reconcile(objects: Objects, wanted: ApiObject): Promise<void> {
  const { group, version } = parseApiVersion(wanted.apiVersion);
  const resource = objects.registry.byKind(group, wanted.kind, version);
  if (resource === undefined) return;
  const { name = "", namespace } = wanted.metadata;
  const key = { name, ...(namespace !== undefined && { namespace }) };
  const found = objects.get(resource, key);
  if (found === undefined) return await create(objects, resource, wanted);
  if (found.metadata.annotations?.["rbac.authorization.kubernetes.io/autoupdate"] === "false") return;
  if (wanted.kind.endsWith("Binding") && !hasSameRole(found, wanted))
    return await replace(objects, resource, { key, found, wanted });
  await objects.update(resource, key, (object) => completed(object, wanted));
}

async function create(objects: Objects, resource: Resource, wanted: ApiObject): Promise<void> {
  try {
    await objects.create(resource, wanted);
  } catch (error) {
    if (statusOf(error).reason !== "AlreadyExists") throw error;
  }
}

/** What a binding gives cannot be changed: another takes its place. */
async function replace(
  objects: Objects,
  resource: Resource,
  {
    key,
    found,
    wanted,
  }: { readonly key: ObjectKey; readonly found: StoredApiObject; readonly wanted: ApiObject },
): Promise<void> {
  const { uid } = found.metadata;
  await objects.delete(resource, key, { ...(uid !== undefined && { uid }) });
  await create(objects, resource, wanted);
}

function hasSameRole(one: StoredApiObject, other: StoredApiObject): boolean {
  return deepEqual(decodedAs(RoleBinding, one).roleRef, decodedAs(RoleBinding, other).roleRef);
}

/** Adds what is missing, in place; false when nothing is. */
function completed(object: ApiObject, wanted: StoredApiObject): boolean {
  const before = structuredClone(object);
  const { metadata } = object;
  metadata.labels = { ...wanted.metadata.labels, ...metadata.labels };
  metadata.annotations = { ...wanted.metadata.annotations, ...metadata.annotations };
  if (wanted.kind.endsWith("Binding")) addSubjects(object, wanted);
  else addRules(object, wanted);
  return !deepEqual(before, object);
}

function addSubjects(object: ApiObject, wanted: StoredApiObject): void {
  const { subjects = [] } = decodedAs(RoleBinding, object);
  const more = (decodedAs(RoleBinding, wanted).subjects ?? []).filter(
    (subject) => !subjects.some((each) => deepEqual(each, subject)),
  );
  if (more.length > 0) object["subjects"] = [...subjects, ...more];
}

function addRules(object: ApiObject, wanted: StoredApiObject): void {
  const role = decodedAs(ClusterRole, object);
  const expected = decodedAs(ClusterRole, wanted);
  const missing = missingRules(role.rules ?? [], expected.rules ?? []);
  if (missing.length > 0) object["rules"] = [...(role.rules ?? []), ...missing];
  const selectors = selectorsOf(expected);
  if (selectors.length === 0) {
    delete object["aggregationRule"];
    return;
  }
  const has = selectorsOf(role);
  const more = selectors.filter((selector) => !has.some((each) => deepEqual(each, selector)));
  if (more.length > 0) object["aggregationRule"] = { clusterRoleSelectors: [...has, ...more] };
}

function selectorsOf({ aggregationRule }: Decoded<ClusterRole>): readonly unknown[] {
  return aggregationRule?.clusterRoleSelectors ?? [];
}
