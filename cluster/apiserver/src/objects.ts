import { clone, keyOf, statusOf, type ObjectKey } from "@kedge/machinery";
import type { Core } from "./core.ts";
import type {
  ApiObject,
  Objects,
  ObjectsOptions,
  PartSubresource,
  Resource,
  StoredApiObject,
  User,
} from "./registry/types.ts";
import { pausesOn } from "./request/pause.ts";
import { keyFor, prefixFor } from "./storage/keys.ts";
import { createObject } from "./write/create-object.ts";
import { deleteObject } from "./write/delete-object.ts";
import { trackWrite } from "./write/managed-fields.ts";
import type { WriteScope } from "./write/scope.ts";
import { updateObject } from "./write/update-object.ts";

/** The server itself. */
const server: User = {
  name: "system:apiserver",
  groups: ["system:masters", "system:authenticated"],
};

/** What the server's own writes are known by in managedFields, unless they say otherwise. */
const ownManager = "kube-apiserver";

/** The server's own way to its objects, past authentication and authorisation. `core` is asked when it is needed. */
export function createObjects(core: () => Core): Objects {
  const scopeOf = (
    resource: Resource,
    key: ObjectKey,
    {
      user = server,
      dryRun = false,
      isAdmitted = false,
      subresource = "",
    }: ObjectsOptions & { readonly subresource?: string } = {},
  ): WriteScope => ({
    core: core(),
    resource,
    subresource,
    namespace: resource.scope === "Namespaced" ? (key.namespace ?? "") : "",
    name: key.name,
    user,
    dryRun,
    options: {},
    isAdmitted,
    warn: () => undefined,
    pause: pausesOn(core().clock),
  });
  return {
    get registry() {
      return core().registry;
    },
    get: (resource, key) => cacheOf(core(), resource).get(keyFor(resource, key))?.as(resource).object,
    list: (resource, namespace) =>
      Array.from(
        cacheOf(core(), resource).list(prefixFor(resource, namespace)).versions,
        (version) => version.as(resource).object,
      ),
    create: async (resource, object, options) => {
      const { name = "", namespace = "" } = object.metadata;
      const scope = scopeOf(resource, { namespace, name }, options);
      const write = { manager: options?.manager ?? ownManager, subresource: "" };
      return await createObject(scope, {
        namespace,
        object: clone(object),
        manage: (defaulted) => trackWrite(scope, undefined, defaulted, write),
      });
    },
    update: async (resource, key, change, options = {}) => {
      const scope = scopeOf(resource, key, options);
      const { subresource = "" } = options;
      return await updateObject(scope, {
        key,
        part: options.part ?? partOf(resource, subresource),
        change: (current) => changed(scope, current, { change, subresource, ...options }),
      });
    },
    delete: async (resource, key, options = {}) => {
      await deleteObject(scopeOf(resource, key, options), { key, preferences: options });
    },
    onChange: (resource, listener) =>
      cacheOf(core(), resource).onEvent(({ type, current, previous }) => {
        const { object } = current.as(resource);
        listener(
          type === "delete"
            ? { type: "removed", object }
            : { type: "stored", object, previous: previous?.as(resource).object },
        );
      }),
  };
}

/** Creates what the cluster has from the start, as far as it is not there. */
export async function createMissing(objects: Objects, wanted: readonly ApiObject[]): Promise<void> {
  for (const object of wanted.filter(isNamespace)) await createIfMissing(objects, object);
  // All at once: a store that syncs its files does it once for them.
  await Promise.all(
    wanted.filter((object) => !isNamespace(object)).map((object) => createIfMissing(objects, object)),
  );
}

function isNamespace({ kind }: ApiObject): boolean {
  return kind === "Namespace";
}

async function createIfMissing(objects: Objects, object: ApiObject): Promise<void> {
  const { apiVersion, kind } = object;
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/", 2) : ["", apiVersion];
  const resource = objects.registry.byKind(group ?? "", kind, version);
  if (resource === undefined || objects.get(resource, nameOf(object)) !== undefined) return;
  try {
    await objects.create(resource, object);
  } catch (error) {
    if (statusOf(error).reason !== "AlreadyExists") throw error;
  }
}

function nameOf({ metadata }: StoredApiObject): ObjectKey {
  const { name = "", namespace } = metadata;
  return keyOf({ metadata: { name, namespace } });
}

function cacheOf({ storage }: Core, resource: Resource): ReturnType<typeof storage.cache> {
  return storage.cache(resource.storage);
}

function partOf(resource: Resource, subresource: string): PartSubresource | undefined {
  if (subresource === "") return undefined;
  const found = resource.subresources.get(subresource);
  if (found?.type === "part") return found;
  throw new TypeError(`${resource.plural} have no part ${JSON.stringify(subresource)} that could be written`);
}

interface Wish extends Pick<ObjectsOptions, "manager"> {
  readonly change: (object: ApiObject) => boolean | undefined;
  readonly subresource: string;
  readonly isTracked?: boolean;
}

async function changed(
  scope: WriteScope,
  current: StoredApiObject,
  { change, subresource, isTracked = true, manager = ownManager }: Wish,
): Promise<ApiObject | undefined> {
  const copy = clone(current);
  if (change(copy) === false) return undefined;
  if (!isTracked) return copy;
  scope.resource.strategy.default?.(copy);
  return await trackWrite(scope, current, copy, { manager, subresource });
}
