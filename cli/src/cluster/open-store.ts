import type { Clock, Logger, Random } from "@kedge/machinery";
import { createMemoryStore, openEtcdStore, openLmdbStore, type Store } from "@kedge/store";
import type { ClusterFolder } from "./cluster-folder.ts";
import type { ClusterSettings } from "./cluster-settings.ts";
import { parseStore } from "./store-choice.ts";
import { checkStoreFile } from "./store-file.ts";

/** What opening needs. */
export interface OpenStoreOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly onProgress: (what: string) => void;
}

/** Opens what keeps the objects of a cluster. */
export async function openStore(
  folder: ClusterFolder,
  settings: ClusterSettings,
  { clock, random, logger, onProgress }: OpenStoreOptions,
): Promise<Store> {
  const choice = parseStore(settings.store);
  if (choice.type === "memory") return createMemoryStore({ clock });
  if (choice.type === "etcd") {
    onProgress(`connecting to etcd at ${choice.endpoints.join(", ")}`);
    const store = await openEtcdStore({ ...choice, clock, random, logger });
    await claimEtcd(store, settings.id, choice.prefix ?? "");
    return store;
  }
  checkStoreFile(folder, settings);
  return await openLmdbStore({
    folder: folder.store,
    clock,
    onProgress: ({ pages, records }) =>
      onProgress(`reading the store: ${pages} pages checked, ${records} records read`),
  });
}

/** Which cluster the keys are of. */
const ownerKey = "/cluster";

/** Two clusters in one place would each take the other's pods for its own. */
async function claimEtcd(store: Store, id: string, prefix: string): Promise<void> {
  const claim = {
    compare: [{ key: ownerKey, modRevision: 0 }],
    success: [{ type: "put" as const, key: ownerKey, value: Buffer.from(id) }],
    failure: [{ prefix: ownerKey }],
  };
  const result = await store.transaction(claim);
  if (result.succeeded) return;
  const owner = Buffer.from(result.ranges[0]?.items[0]?.value ?? []).toString();
  if (owner === id) return;
  await store.close();
  throw new Error(
    `the keys below ${prefix}/ in etcd are those of the cluster ${owner}, and this one is ${id}. Give another path, ` +
      `such as etcd://…/kedge-2, or delete them with \`etcdctl del --prefix ${prefix}/\``,
  );
}
