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
  // All are there, and nothing is missing, at nearly every start: no copies are made to find that out.
  if (additions(found, wanted) === undefined) return;
  await objects.update(resource, key, (object) => {
    const more = additions(object, wanted);
    if (more === undefined) return false;
    Object.assign(object, more);
    if (more["aggregationRule"] === null) delete object["aggregationRule"];
    return true;
  });
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

type Additions = Readonly<Record<string, unknown>>;

/** The fields that an object lacks something in, completed; a field that is to go is null. */
function additions(object: StoredApiObject, wanted: StoredApiObject): Additions | undefined {
  const more = {
    ...metadataFor(object, wanted),
    ...(wanted.kind.endsWith("Binding") ? subjectsFor(object, wanted) : rulesFor(object, wanted)),
  };
  return Object.keys(more).length === 0 ? undefined : more;
}

function metadataFor({ metadata }: StoredApiObject, wanted: StoredApiObject): Additions {
  const labels = { ...wanted.metadata.labels, ...metadata.labels };
  const annotations = { ...wanted.metadata.annotations, ...metadata.annotations };
  if (deepEqual(labels, metadata.labels) && deepEqual(annotations, metadata.annotations)) return {};
  return { metadata: { ...metadata, labels, annotations } };
}

function subjectsFor(object: StoredApiObject, wanted: StoredApiObject): Additions {
  const { subjects = [] } = decodedAs(RoleBinding, object);
  const more = lacking(subjects, decodedAs(RoleBinding, wanted).subjects ?? []);
  return more.length === 0 ? {} : { subjects: [...subjects, ...more] };
}

function rulesFor(object: StoredApiObject, wanted: StoredApiObject): Additions {
  const role = decodedAs(ClusterRole, object);
  const expected = decodedAs(ClusterRole, wanted);
  const rules = role.rules ?? [];
  // What covers what is asked verb by verb: only of rules that differ.
  const missing = missingRules(rules, lacking(rules, expected.rules ?? []));
  return {
    ...(missing.length > 0 && { rules: [...rules, ...missing] }),
    ...aggregationFor(role, selectorsOf(expected)),
  };
}

function aggregationFor(role: Decoded<ClusterRole>, selectors: readonly unknown[]): Additions {
  if (selectors.length === 0) return role.aggregationRule === undefined ? {} : { aggregationRule: null };
  const has = selectorsOf(role);
  const more = lacking(has, selectors);
  return more.length === 0 ? {} : { aggregationRule: { clusterRoleSelectors: [...has, ...more] } };
}

function selectorsOf({ aggregationRule }: Decoded<ClusterRole>): readonly unknown[] {
  return aggregationRule?.clusterRoleSelectors ?? [];
}

function lacking<T>(held: readonly T[], wanted: readonly T[]): readonly T[] {
  return wanted.filter((each) => !held.some((other) => deepEqual(other, each)));
}
