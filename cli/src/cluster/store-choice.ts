import { resolve } from "node:path";
import { parseEtcdUrl, type EtcdPlace } from "@kedge/store";
import type { ClusterSettings } from "./cluster-settings.ts";

/** What keeps the objects of a cluster. */
export type StoreChoice = { readonly type: "lmdb" | "memory" } | ({ readonly type: "etcd" } & EtcdPlace);

/** Reads `--store`, or what the settings say. Throws what is none. */
export function parseStore(text = "lmdb"): StoreChoice {
  if (text === "lmdb" || text === "memory") return { type: text };
  if (!text.startsWith("etcd:"))
    throw new Error(`--store ${text}: must be memory, lmdb, or like etcd://host:2379,other:2379`);
  return { type: "etcd", ...parseEtcdUrl(text) };
}

/** What a cluster goes on with. Throws when it has its objects elsewhere already. */
export function chosenStore(
  { store: known, storeCreated }: Pick<ClusterSettings, "store" | "storeCreated">,
  wanted: string | undefined,
): string | undefined {
  if (wanted === undefined) return known;
  const [before, after] = [parseStore(known), parseStore(wanted)];
  const isSame =
    before.type === after.type &&
    (before.type !== "etcd" || after.type !== "etcd" || before.prefix === after.prefix);
  if (storeCreated === true && !isSame)
    throw new Error(
      `--store ${wanted}: this cluster has its objects in ${storeText(before)}. ` +
        `Leave out --store, or give another --dir for another cluster.`,
    );
  return after.type === "etcd" ? etcdUrl(after) : after.type;
}

/** A store in a few words. */
export function storeText(store: StoreChoice): string {
  if (store.type !== "etcd") return store.type;
  return `etcd at ${store.endpoints.join(", ")} below ${store.prefix ?? ""}/`;
}

/** With whole paths: the process that reads the files may have another working directory. */
function etcdUrl({ endpoints, prefix = "", tls = {} }: EtcdPlace): string {
  const files = Object.entries(tls).flatMap(([name, file]) =>
    file === undefined ? [] : [`${name}=${encodeURIComponent(resolve(String(file)))}`],
  );
  const query = files.length === 0 ? "" : `?${files.join("&")}`;
  return `etcd://${endpoints.join(",")}${prefix}${query}`;
}
