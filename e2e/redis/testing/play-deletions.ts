import { realClock } from "@kedge/machinery";
import { ConfigMap, PersistentVolume, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { belongingsOf, changedBelongings } from "../../cluster/testing/belongings.ts";
import type { TestCluster } from "../../cluster/testing/up-cluster.ts";
import { startLedger } from "../ledger/ledger.ts";
import { lostNow } from "../measure-gap.ts";
import { makeInstance } from "../subjects/redis-instance.ts";
import {
  claimsOf,
  deleteAtMoments,
  leftOf,
  randomMoments,
  volumesOf,
  type Deleted,
} from "./delete-at-moments.ts";
import { until } from "./until.ts";

const clock = realClock;
const namespace = "default";
/** The neighbour that stays. */
const keeper = "keeper";

/** How much is played. */
export interface DeletionOptions {
  readonly count: number;
  readonly seed: number;
  /** So many instances at a time. */
  readonly lanes: number;
}

/**
 * Deletes instances at moments of their creation, beside one that stays and is written to. Gives what was left behind:
 * objects, volumes, mounts, processes, files; and what is gone and should not be.
 */
export async function playDeletions(
  cluster: TestCluster,
  { count, seed, lanes }: DeletionOptions,
): Promise<readonly string[]> {
  const { client, dir } = cluster;
  const neighbour = await makeInstance(cluster, keeper, { replicas: 2 });
  const quiet = await belongingsOf(dir);
  const pods = await podUids(cluster);
  await using ledger = startLedger({
    clock,
    name: keeper,
    writesPerSecond: 50,
    route: () => neighbour.route(),
  });
  await until("the neighbour takes writes", () => ledger.book.acknowledged > 0);
  const moments = randomMoments(count, seed);
  const done = await deleteAtMoments(client, moments, {
    lanes,
    onNews: (deleted) => process.stdout.write(`${textOf(deleted)}\n`),
  });
  const problems = done.flatMap(({ name, problems: own }) => own.map((one) => `${name}: ${one}`));
  // Nobody makes anything of them again, and what is kept is whole.
  for (const moment of moments) {
    const left = await leftOf(client, moment);
    problems.push(...left.map((one) => `${moment.name}: ${one} is there again`));
    if (moment.deletionPolicy === "Retain") problems.push(...(await unbound(cluster, moment.name)));
  }
  await ledger.stop();
  const lost = await lostNow(neighbour, ledger.book);
  if (lost.length > 0) problems.push(`the neighbour has lost ${lost.length} writes`);
  const now = await podUids(cluster);
  if (now.join(" ") !== pods.join(" "))
    problems.push(`the neighbour's pods are other ones: ${now.join(" ")}`);
  problems.push(...(await leftInEnd(cluster, quiet)));
  return problems;
}

function textOf({ name, deletionPolicy, replicas, afterMs, pods, ready, claims, goneMs, problems }: Deleted) {
  const how = `${name}: ${deletionPolicy}, after ${afterMs} ms with ${pods} of ${replicas} pods, ${ready} ready, ${claims} claims`;
  const end = problems.length === 0 ? "clean" : problems.join("; ");
  return `${how}: ${end} after ${(goneMs / 1000).toFixed(1)} s`;
}

/** Claims that are kept and were bound have their volumes. */
async function unbound({ client }: TestCluster, name: string): Promise<readonly string[]> {
  const { items } = await client.of(PersistentVolumeClaim).list({ namespace }).all();
  const volumes = await volumesOf(client, name);
  const kept = await claimsOf(client, name);
  return items
    .filter(({ metadata }) => kept.includes(`${metadata.name} ${metadata.uid}`))
    .filter(({ spec, status }) => status?.phase === "Lost" || isMissing(spec?.volumeName, volumes))
    .map(({ metadata }) => `${name}: the claim ${metadata.name} is kept without its volume`);
}

function isMissing(volume: string | undefined, volumes: readonly string[]): boolean {
  return volume !== undefined && volume !== "" && !volumes.includes(volume);
}

async function podUids({ client }: TestCluster): Promise<readonly string[]> {
  const labelSelector = `redis.github.com/instance=${keeper}`;
  const { items } = await client.of(Pod).list({ namespace, labelSelector }).all();
  return items.map(({ metadata }) => metadata.uid).toSorted();
}

/** The user takes away what was kept: then only the neighbour has anything on the machine. */
async function leftInEnd(
  { client, dir }: TestCluster,
  quiet: Awaited<ReturnType<typeof belongingsOf>>,
): Promise<readonly string[]> {
  const isKeepers = (name: string): boolean => name.startsWith(`redis-data-${keeper}-`);
  for (const kind of [PersistentVolumeClaim, ConfigMap]) {
    const all = client.of<{ metadata: { name: string } }, "Namespaced", string>(kind);
    const { items } = await all.list({ namespace }).all();
    for (const { metadata } of items)
      if (/^(?:redis-data-)?gone-\d+-/u.test(metadata.name))
        await all.delete({ namespace, name: metadata.name });
  }
  let left: readonly string[] = [];
  const isClean = async (): Promise<boolean> => {
    const { items } = await client.of(PersistentVolume).list().all();
    const volumes = items.filter(({ spec }) => !isKeepers(spec?.claimRef?.name ?? ""));
    left = [
      ...volumes.map(({ metadata }) => `the volume ${metadata.name}`),
      ...changedBelongings(quiet, await belongingsOf(dir)),
    ];
    return left.length === 0;
  };
  await until("nothing is left on the machine", isClean, { everyMs: 500 }).catch(() => undefined);
  return left.map((one) => `left in the end: ${one}`);
}
