import { cpus, loadavg } from "node:os";
import { realClock } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import type { TestCluster } from "../cluster/testing/up-cluster.ts";
import { keepBusy } from "./faults/keep-busy.ts";
import { startLedger, type Ledger } from "./ledger/ledger.ts";
import { lostNow } from "./measure-gap.ts";
import { makeInstance } from "./subjects/redis-instance.ts";
import type { Subject } from "./subjects/subject.ts";
import { waitInSync } from "./testing/roles.ts";

/** How long nothing is to happen. */
export interface CalmOptions {
  readonly minutes: number;
  readonly writesPerSecond?: number;
  /** Told once a minute how it is, and at once what should not have happened. */
  readonly onNews: (line: string) => void;
}

/** What clients of one instance saw. */
export interface CalmFigures {
  readonly durability: string;
  readonly acknowledged: number;
  readonly lost: number;
  readonly longestGapMs: number;
  /** Times of more than a second without an acknowledgement. */
  readonly gapsMs: readonly number[];
  readonly refusals: Readonly<Record<string, number>>;
  /** How often the primary became another one: nobody asked for it, so that each is one too many. */
  readonly changes: number;
  readonly restarts: number;
}

/** What happened although nothing should have. */
export interface CalmReport {
  readonly instances: readonly CalmFigures[];
  /** The load of the machine, as it was once a minute. */
  readonly loads: readonly number[];
  /** Empty when nothing has happened. */
  readonly problems: readonly string[];
}

const clock = realClock;
const namespace = "default";
const levels = ["normal", "cache", "strict"] as const;
const gapMs = 1000;
const lookEveryMs = 2000;

interface Watched {
  readonly durability: (typeof levels)[number];
  readonly subject: Subject;
  readonly ledger: Ledger;
  readonly epoch: number;
  last: number;
}

/**
 * Three instances, one of each durability, are written to while both cores are busy and nothing breaks: no primary may be
 * taken for lost.
 */
export async function stayCalm(
  cluster: TestCluster,
  { minutes, writesPerSecond = 300, onNews }: CalmOptions,
): Promise<CalmReport> {
  const problems: string[] = [];
  const onProblem = (what: string): void => {
    problems.push(what);
    onNews(`! ${what}`);
  };
  const watched: Watched[] = [];
  for (const durability of levels) {
    const subject = await makeInstance(cluster, durability, { durability, storage: { size: "2Gi" } });
    await waitInSync(() => subject.servers());
    const { epoch } = await replicationOf(cluster, durability);
    const ledger = startLedger({ clock, name: "calm", writesPerSecond, route: () => subject.route() });
    watched.push({ durability, subject, ledger, epoch, last: epoch });
  }
  await using _busy = keepBusy(cpus().length);
  onNews(
    `three RedisInstances of three servers each run, ${writesPerSecond} writes a second each; ${minutes} minutes`,
  );
  const loads: number[] = [];
  const began = clock.monotonic();
  for (let minute = 1; minute <= minutes; minute++) {
    while (clock.monotonic() - began < minute * 60_000) {
      await clock.sleep(lookEveryMs);
      for (const one of watched) await look(cluster, one, onProblem);
    }
    const load = loadavg()[0] ?? 0;
    loads.push(load);
    const told = watched.map(({ durability, ledger }) => `${durability} ${ledger.book.acknowledged}`);
    onNews(`minute ${minute}: load ${load.toFixed(1)}, acknowledged: ${told.join(", ")}`);
  }
  const instances: CalmFigures[] = [];
  for (const one of watched) {
    await one.ledger.stop();
    await waitInSync(() => one.subject.servers());
    instances.push(await figuresOf(cluster, one));
  }
  for (const { durability, lost, restarts } of instances) {
    if (lost > 0) onProblem(`${durability}: ${lost} acknowledged writes are lost`);
    if (restarts > 0) onProblem(`${durability}: containers were started again ${restarts} times`);
  }
  return { instances, loads, problems };
}

async function look(cluster: TestCluster, one: Watched, onProblem: (what: string) => void): Promise<void> {
  const { epoch, cause } = await replicationOf(cluster, one.durability);
  if (epoch !== one.last) onProblem(`${one.durability}: epoch ${epoch} after ${one.last}: ${cause}`);
  one.last = epoch;
}

async function figuresOf(
  cluster: TestCluster,
  { durability, subject, ledger: { book }, epoch, last }: Watched,
): Promise<CalmFigures> {
  const labelSelector = `redis.github.com/instance=${durability}`;
  const { items } = await cluster.client.of(Pod).list({ namespace, labelSelector }).all();
  const restarts = items
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return {
    durability,
    acknowledged: book.acknowledged,
    lost: (await lostNow(subject, book)).length,
    longestGapMs: book.longestGap(),
    gapsMs: book.gapsOver(gapMs),
    refusals: book.refusals,
    changes: last - epoch,
    restarts,
  };
}

async function replicationOf(
  { client }: Pick<TestCluster, "client">,
  name: string,
): Promise<{ readonly epoch: number; readonly cause: string }> {
  const { status } = await client.of(RedisInstance).get({ namespace, name });
  return { epoch: status?.replication?.epoch ?? 0, cause: status?.replication?.cause ?? "no cause is told" };
}
