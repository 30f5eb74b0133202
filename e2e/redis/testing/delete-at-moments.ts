import type { Client } from "@kedge/client";
import { ifFound, realClock, seededRandom } from "@kedge/machinery";
import { ControllerRevision, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import {
  ConfigMap,
  Endpoints,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
} from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { until } from "./until.ts";

const clock = realClock;
const namespace = "default";
/** So often does each lane look: all of them share an API server. */
const everyMs = 250;

/** One instance, and when it is deleted. */
export interface Moment {
  readonly name: string;
  readonly replicas: number;
  readonly deletionPolicy: "Retain" | "Delete";
  readonly afterMs: number;
}

/** What became of it. */
export interface Deleted extends Moment {
  /** How far its creation was. */
  readonly pods: number;
  readonly ready: number;
  readonly claims: number;
  /** Until nothing of it was left but what its policy keeps. */
  readonly goneMs: number;
  readonly problems: readonly string[];
}

/** Half of them in the first moments, when most is made; policies in turns. */
export function randomMoments(count: number, seed: number): readonly Moment[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_none, number) => ({
    name: `gone-${number}`,
    replicas: 1 + random.int(3),
    deletionPolicy: number % 2 === 0 ? "Retain" : "Delete",
    afterMs: random.int(2) === 0 ? random.int(1000) : random.int(15_000),
  }));
}

/** Makes and deletes all of them, some at a time. */
export async function deleteAtMoments(
  client: Client,
  moments: readonly Moment[],
  { lanes, onNews }: { readonly lanes: number; readonly onNews: (deleted: Deleted) => void },
): Promise<readonly Deleted[]> {
  const waiting = [...moments];
  const done: Deleted[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const deleted = await deleteAt(client, next);
      done.push(deleted);
      onNews(deleted);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

async function deleteAt(client: Client, moment: Moment): Promise<Deleted> {
  const { name, replicas, deletionPolicy, afterMs } = moment;
  const key = { namespace, name };
  const spec = { image: "redis:7.0", replicas, deletionPolicy, storage: { size: "50Mi" } } as const;
  const others = await makeBystanders(client, name);
  await client.of(RedisInstance).apply({ metadata: key, spec }, { fieldManager: "e2e" });
  await clock.sleep(afterMs);
  const pods = await podsOf(client, name);
  const before = await claimsOf(client, name);
  const began = clock.monotonic();
  await client.of(RedisInstance).delete(key);
  const gone = (): Promise<boolean> =>
    ifFound(client.of(RedisInstance).get(key)).then((found) => found === undefined);
  await until(`${name} is gone`, gone, { everyMs });
  const problems: string[] = [];
  let left: readonly string[] = [];
  const isClean = async (): Promise<boolean> => {
    left = await leftOf(client, moment);
    return left.length === 0;
  };
  await until(`nothing is left of ${name}`, isClean, { everyMs }).catch(() =>
    problems.push(...left.map((one) => `${one} is left`)),
  );
  const goneMs = clock.monotonic() - began;
  const after = await claimsOf(client, name);
  if (deletionPolicy === "Retain")
    problems.push(...before.filter((one) => !after.includes(one)).map((one) => `the claim ${one} is gone`));
  const kept = await bystandersOf(client, name);
  problems.push(...others.filter((one) => !kept.includes(one)).map((one) => `the user's ${one} is gone`));
  const ready = pods.filter(({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
  ).length;
  return { ...moment, pods: pods.length, ready, claims: before.length, goneMs, problems };
}

/** What there is of an instance that is gone, except for claims that are kept and their volumes. */
export async function leftOf(
  client: Client,
  { name, deletionPolicy }: Pick<Moment, "name" | "deletionPolicy">,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const kind of kinds) {
    const { items } = await client
      .of<{ metadata: { name: string } }, "Namespaced", string>(kind)
      .list({ namespace })
      .all();
    const own = items.filter(({ metadata }) => isNamed(metadata.name, name));
    found.push(...own.map(({ metadata }) => `${kind.kind} ${metadata.name}`));
  }
  if (deletionPolicy === "Retain") return found;
  const claims = await claimsOf(client, name);
  const volumes = await volumesOf(client, name);
  return [
    ...found,
    ...claims.map((one) => `the claim ${one}`),
    ...volumes.map((volume) => `the volume ${volume}`),
  ];
}

const kinds = [
  StatefulSet,
  ControllerRevision,
  Pod,
  ConfigMap,
  Secret,
  Service,
  Endpoints,
  EndpointSlice,
  PodDisruptionBudget,
];

/** Whether something of an instance is called so. A user's own is not. */
function isNamed(object: string, instance: string): boolean {
  const isOfIt = object === instance || ["-", "."].some((mark) => object.startsWith(`${instance}${mark}`));
  return isOfIt && object !== notesOf(instance);
}

async function podsOf(client: Client, name: string): Promise<readonly Pod[]> {
  const labelSelector = `redis.github.com/instance=${name}`;
  return (await client.of(Pod).list({ namespace, labelSelector }).all()).items;
}

/** The claims of its servers, by name and uid. */
export async function claimsOf(client: Client, name: string): Promise<readonly string[]> {
  const { items } = await client.of(PersistentVolumeClaim).list({ namespace }).all();
  return items
    .filter(({ metadata }) => isClaimOf(metadata.name, name))
    .map(({ metadata }) => `${metadata.name} ${metadata.uid}`)
    .toSorted();
}

/** The volumes of its claims, also of claims that are gone. */
export async function volumesOf(client: Client, name: string): Promise<readonly string[]> {
  const { items } = await client.of(PersistentVolume).list().all();
  return items
    .filter(({ spec }) => isClaimOf(spec?.claimRef?.name ?? "", name))
    .map(({ metadata }) => metadata.name);
}

function isClaimOf(claim: string, instance: string): boolean {
  const prefix = `redis-data-${instance}-`;
  return claim.startsWith(prefix) && /^\d+$/u.test(claim.slice(prefix.length));
}

function notesOf(instance: string): string {
  return `${instance}-notes`;
}

/** Objects of a user whose names are near: nobody else's to delete. */
async function makeBystanders(client: Client, name: string): Promise<readonly string[]> {
  await client.of(ConfigMap).create({ metadata: { namespace, name: notesOf(name) }, data: { of: "a user" } });
  await client.of(PersistentVolumeClaim).create({
    metadata: { namespace, name: `redis-data-${name}-mine` },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
  });
  return await bystandersOf(client, name);
}

async function bystandersOf(client: Client, name: string): Promise<readonly string[]> {
  const notes = await ifFound(client.of(ConfigMap).get({ namespace, name: notesOf(name) }));
  const claim = await ifFound(
    client.of(PersistentVolumeClaim).get({ namespace, name: `redis-data-${name}-mine` }),
  );
  return [notes, claim].flatMap((object) =>
    object === undefined || object.metadata.deletionTimestamp !== undefined
      ? []
      : [`${object.metadata.name} ${object.metadata.uid}`],
  );
}
