import { seededRandom, silentLogger, VirtualClock, type Random } from "@kedge/machinery";
import { createMemoryStore, type Store } from "@kedge/store";
import { AdmissionChain } from "../../admission/chain.ts";
import { builtinResources } from "../../kinds/index.ts";
import { createObjects } from "../../objects.ts";
import { createRegistry } from "../../registry/registry.ts";
import type { ApiObject, Resource, StoredApiObject, Strategy } from "../../registry/types.ts";
import { keyFor } from "../../storage/keys.ts";
import { Storage } from "../../storage/storage.ts";
import type { WriteCore, WriteScope } from "../scope.ts";

/** Writes of ConfigMaps over a store in memory: no requests, no admission, and hooks as the test wants them. */
export interface TestWrites extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly store: Store;
  /** ConfigMaps, with these hooks in place of their own. */
  resource(strategy?: Partial<Strategy>, more?: Partial<Resource>): Resource;
  scope(resource: Resource, more?: Partial<WriteScope>): WriteScope;
  /** Stores an object as it is, past everything. */
  put(object: ApiObject, resource?: Resource): Promise<void>;
  /** What is stored. */
  get(name: string, resource?: Resource): StoredApiObject | undefined;
  readonly warnings: string[];
}

/** Starts writing over a new store. */
export async function startWrites(random: Random = seededRandom(1)): Promise<TestWrites> {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  const options = { compactionInterval: 1_000_000, historyBytes: 1_000_000 };
  const storage = new Storage({ store, clock, logger: silentLogger, ...options });
  const maps = builtinResources({ serviceRange: "10.96.0.0/24" }).find(({ kind }) => kind === "ConfigMap");
  if (maps === undefined) throw new Error("there are no ConfigMaps");
  const registry = createRegistry([maps]);
  const objects = createObjects(() => {
    throw new Error("writes are tested without the rest of a server");
  });
  const core: WriteCore = { clock, random, registry, storage, objects, admission: new AdmissionChain([]) };
  await storage.start();
  const warnings: string[] = [];
  const keyOf = (resource: Resource, name: string): string => keyFor(resource, { namespace: "ns", name });
  return {
    clock,
    store,
    warnings,
    resource: (strategy = {}, more = {}) => ({
      ...maps,
      ...more,
      strategy: { ...maps.strategy, generation: "spec", ...strategy },
    }),
    scope: (resource, more = {}) => ({
      core,
      resource,
      subresource: "",
      namespace: "ns",
      name: "",
      user: { name: "tester", groups: [] },
      dryRun: false,
      options: {},
      isAdmitted: false,
      warn: (text) => warnings.push(text),
      pause: () => Promise.resolve(),
      ...more,
    }),
    put: async (object, resource = maps) => {
      const value = Buffer.from(JSON.stringify(object));
      await storage.write({ key: keyOf(resource, object.metadata.name ?? ""), expected: 0, value });
    },
    get: (name, resource = maps) =>
      storage.cache(resource.storage).get(keyOf(resource, name))?.as(resource).object,
    [Symbol.asyncDispose]: async () => {
      await storage.close();
      await store.close();
    },
  };
}

/** A ConfigMap of the namespace `ns`. */
export function configMap(
  metadata: ApiObject["metadata"] = { name: "a" },
  data?: Readonly<Record<string, string>>,
): ApiObject {
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "ns", ...metadata } };
  return data === undefined ? map : { ...map, data };
}
