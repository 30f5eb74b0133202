import {
  clone,
  deepFreeze,
  formatTime,
  invalid,
  notFound,
  uid,
  type Clock,
  type ObjectKey,
} from "@kedge/machinery";
import { seededRandom } from "@kedge/machinery";
import { createRegistry } from "../../registry/registry.ts";
import type {
  ApiObject,
  ObjectChange,
  Objects,
  Resource,
  StoredApiObject,
  WriteContext,
} from "../../registry/types.ts";
import { allErrors } from "../../write/errors-of.ts";

/** Objects in memory that call the hooks of strategies as the server's verbs do, and nothing more. */
export function memoryObjects(resources: readonly Resource[], clock: Clock): Objects {
  const registry = createRegistry(resources);
  const stored = new Map<string, StoredApiObject>();
  const listeners = new Map<string, Set<(change: ObjectChange) => void>>();
  let made = 0;

  const idOf = ({ storage }: Resource, { namespace = "", name }: ObjectKey): string =>
    `${storage}/${namespace}/${name}`;
  const keyOf = ({ metadata }: StoredApiObject): ObjectKey => ({
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
  });
  const tell = ({ storage }: Resource, change: ObjectChange): void => {
    for (const listener of listeners.get(storage) ?? []) listener(change);
  };
  const check = (resource: Resource, object: ApiObject, previous?: StoredApiObject): void => {
    const errors = allErrors(resource.strategy.validate?.(object, previous));
    if (errors.length > 0) throw invalid(resource, object.metadata.name ?? "", errors);
  };
  const store = (resource: Resource, object: ApiObject): StoredApiObject => {
    const id = idOf(resource, keyOf(object));
    const previous = stored.get(id);
    const { metadata } = object;
    if (metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0) {
      stored.delete(id);
      tell(resource, { type: "removed", object });
    } else {
      deepFreeze(object);
      stored.set(id, object);
      tell(resource, { type: "stored", object, previous });
    }
    return object;
  };

  const objects: Objects = {
    registry,
    get: (resource, key) => stored.get(idOf(resource, key)),
    list: (resource, namespace) =>
      [...stored]
        .filter(([id]) => id.startsWith(`${resource.storage}/${namespace ?? ""}`))
        .map(([, object]) => object),
    create: async (resource, sent) => {
      const object = clone(sent);
      resource.strategy.default?.(object);
      made += 1;
      object.metadata = { ...object.metadata, uid: uid(`uid-${made}`), generation: 1 };
      resource.strategy.prepareForCreate?.(object, context);
      resource.strategy.allocate?.(object, undefined, context);
      resource.strategy.default?.(object);
      check(resource, object);
      return store(resource, object);
    },
    update: async (resource, key, change, options) => {
      await Promise.resolve();
      const previous = stored.get(idOf(resource, key));
      if (previous === undefined) throw notFound(resource, key.name);
      const object: ApiObject = clone(previous);
      if (change(object) === false) return previous;
      const part = resource.subresources.get(options?.subresource ?? "");
      if (part?.type === "part") {
        part.prepareForUpdate(object, previous, context);
        const errors = [
          ...allErrors(part.validate?.(object, previous)),
          ...allErrors(part.validateUpdate?.(object, previous)),
        ];
        if (errors.length > 0) throw invalid(resource, key.name, errors);
      } else {
        resource.strategy.prepareForUpdate?.(object, previous, context);
        resource.strategy.default?.(object);
        object.metadata.generation = (previous.metadata.generation ?? 0) + 1;
        check(resource, object, previous);
      }
      return store(resource, object);
    },
    delete: async (resource, key) => {
      await Promise.resolve();
      const previous = stored.get(idOf(resource, key));
      if (previous === undefined) throw notFound(resource, key.name);
      const object: ApiObject = clone(previous);
      object.metadata.deletionTimestamp ??= formatTime(clock.now());
      resource.strategy.prepareForDelete?.(object, context);
      store(resource, object);
    },
    onChange: ({ storage }, listener) => {
      const known = listeners.get(storage) ?? new Set();
      listeners.set(storage, known.add(listener));
      return () => known.delete(listener);
    },
  };
  const context: WriteContext = {
    user: { name: "tester", groups: [] },
    clock,
    random: seededRandom(1),
    objects,
    dryRun: false,
    warn: () => undefined,
  };
  return objects;
}
