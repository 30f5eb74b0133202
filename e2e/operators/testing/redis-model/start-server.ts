import type { Client } from "@kedge/client";
import { ifFound } from "@kedge/machinery";
import { ConfigMap, PersistentVolumeClaim, Secret } from "@kedge/machinery/kinds/core/v1";
import type { SimulatedRun } from "@kedge/node";
import { userFromLine } from "./model-commands.ts";
import { hasData, type ModelDisk, type ModelUser } from "./model-disk.ts";

/** What a server begins with: what the start script of the operator decides, from the same files. */
export interface Start {
  readonly users: ReadonlyMap<string, ModelUser>;
  readonly config: ReadonlyMap<string, string>;
  /** Whom it follows; undefined for nobody. */
  readonly follow: string | undefined;
  /** It must be admitted first. */
  readonly isHeld: boolean;
}

/** What a server that waits follows: nobody listens there. */
export const nobody = "127.0.0.1";

/** What the operator says of a pod's peers. */
export interface PeersFile {
  readonly replicas: number;
  readonly wanted: number;
  readonly initialized: boolean;
}

/** Names of what belongs to the pod of an instance. */
export interface PodNames {
  readonly namespace: string;
  readonly instance: string;
  readonly ordinal: number;
}

/** Of which instance a pod is. */
export function namesOfPod({ pod }: Pick<SimulatedRun, "pod">): PodNames {
  const { namespace, name } = pod.metadata;
  const dash = name.lastIndexOf("-");
  return { namespace, instance: name.slice(0, dash), ordinal: Number(name.slice(dash + 1)) };
}

/** Reads the file with the peers. */
export async function readPeers(client: Client, { namespace, instance }: PodNames): Promise<PeersFile> {
  const found = await ifFound(client.of(ConfigMap).get({ namespace, name: `${instance}.peers` }));
  const replicas = Number(found?.data?.["replicas"] ?? 1);
  const wanted = Number(found?.data?.["wanted"] ?? replicas);
  return { replicas, wanted, initialized: found?.data?.["initialized"] === "true" };
}

/** Which volume a pod has: another one after its claim was deleted and made again. */
export async function volumeOf(client: Client, { pod }: Pick<SimulatedRun, "pod">): Promise<string> {
  const { namespace } = pod.metadata;
  const name = pod.spec?.volumes?.find(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)
    ?.persistentVolumeClaim?.claimName;
  if (name === undefined) return `pod ${pod.metadata.uid}`;
  const claim = await ifFound(client.of(PersistentVolumeClaim).get({ namespace, name }));
  return claim?.metadata.uid ?? `pod ${pod.metadata.uid}`;
}

/** Decides as the start script does. */
export async function planStart(
  client: Client,
  run: SimulatedRun,
  { disk, secret }: { readonly disk: ModelDisk; readonly secret: SeenSecret },
): Promise<Start> {
  const names = namesOfPod(run);
  const { replicas, wanted, initialized } = await readPeers(client, names);
  const { lines, masterauth } = secret;
  const config = new Map([...(await readConfig(client, run)), ["masterauth", masterauth]]);
  const users = usersAtStart(lines, disk.users);
  if (config.get("appendonly") !== "yes" && config.get("save") === "") {
    // It writes nothing: what there is on its volume is of no use, and what its users say of it is not true.
    [disk.log, disk.snapshot] = [undefined, undefined];
    for (const name of users.keys()) if (/^kedge-(?:primary|replica)-/u.test(name)) users.delete(name);
  }
  const { epoch, role, roleEpoch } = recordIn(users.keys());
  const record = (number: number): void =>
    void users.set(`kedge-primary-${number}`, { isOn: false, hashes: [] });
  const plain = { users, config, isHeld: false };
  if (replicas <= 1 || (wanted <= 1 && hasData(disk))) {
    if (role !== "primary" || roleEpoch < epoch) record(Math.max(1, epoch));
    disk.users = users;
    return { ...plain, follow: undefined };
  }
  if (!initialized && epoch === 0 && !hasData(disk)) {
    if (names.ordinal === 0) record(1);
    disk.users = users;
    return { ...plain, follow: names.ordinal === 0 ? undefined : hostOf(names, 0) };
  }
  disk.users = users;
  return { ...plain, follow: nobody, isHeld: true };
}

/** The name of a pod. */
export function hostOf({ namespace, instance }: PodNames, ordinal: number): string {
  return `${instance}-${ordinal}.${instance}-headless.${namespace}.svc`;
}

/** What the names of users say of a server's epoch, and of its data. */
export function recordIn(users: Iterable<string>): {
  readonly epoch: number;
  readonly role: string;
  readonly roleEpoch: number;
} {
  let found = { epoch: 0, role: "", roleEpoch: 0 };
  for (const user of users) {
    const [, kind = "", number = ""] = /^kedge-(operator|primary|replica)-(\d+)$/u.exec(user) ?? [];
    if (number === "") continue;
    const epoch = Math.max(found.epoch, Number(number));
    found =
      kind !== "operator" && Number(number) >= found.roleEpoch
        ? { epoch, role: kind, roleEpoch: Number(number) }
        : { ...found, epoch };
  }
  return found;
}

/** As the script decides: the Secret's, unless the volume has newer ones of the same Secret. */
export function usersAtStart(
  lines: readonly string[],
  held: ReadonlyMap<string, ModelUser> = new Map(),
): Map<string, ModelUser> {
  const given = new Map(lines.filter((line) => line.startsWith("user ")).map((line) => userFromLine(line)));
  const known = new Set(lines.map((line) => line.split(" ")[1] ?? ""));
  const [ours, theirs] = [markerIn(given.keys()), markerIn(held.keys())];
  const isNewer = ours.group !== "" && theirs.group === ours.group && theirs.number >= ours.number;
  const marked = held.get(`${theirs.group}-${theirs.number}`)?.keys ?? [];
  const isKept = (name: string): boolean => {
    if (name === "kedge-start") return false;
    if (/^kedge-(?:primary|replica)-/u.test(name)) return true;
    return isNewer || !(known.has(name) || name.startsWith(markerPrefix) || marked.includes(name));
  };
  const start = given.get("kedge-start");
  return new Map([
    ...(isNewer ? [] : given),
    ...(start === undefined ? [] : [["kedge-start", start] as const]),
    ...[...held].filter(([name]) => isKept(name)),
  ]);
}

const markerPrefix = "kedge-users-";

function markerIn(names: Iterable<string>): { readonly group: string; readonly number: number } {
  const marker = [...names].find((name) => name.startsWith(markerPrefix)) ?? "";
  const dash = marker.lastIndexOf("-");
  return { group: marker.slice(0, Math.max(0, dash)), number: Number(marker.slice(dash + 1)) };
}

/** What a pod sees of the Secret of the system. */
export interface SeenSecret {
  readonly lines: readonly string[];
  readonly masterauth: string;
}

/** The Secret of the system, as it is now. */
export async function systemSecret(
  client: Client,
  { namespace, instance }: Omit<PodNames, "ordinal">,
): Promise<SeenSecret> {
  const secret = await ifFound(client.of(Secret).get({ namespace, name: `${instance}.system` }));
  const text = (key: string): string => Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
  return { lines: text("users.acl").split("\n"), masterauth: text("replication") };
}

async function readConfig(client: Client, { pod }: SimulatedRun): Promise<ReadonlyMap<string, string>> {
  const { namespace } = pod.metadata;
  const name = pod.spec?.volumes?.find((volume) => volume.name === "redis-config")?.configMap?.name;
  const found = name === undefined ? undefined : await ifFound(client.of(ConfigMap).get({ namespace, name }));
  const lines = (found?.data?.["redis.conf"] ?? "").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [, key = "", value = ""] = /^([a-z][-a-z]*)\s+"?(.*?)"?$/u.exec(line) ?? [];
      return key === "" ? [] : [[key, value] as const];
    }),
  );
}
