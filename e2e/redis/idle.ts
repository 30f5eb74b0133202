import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { RedisInstance } from "@kedge/redis-operator";
import type { TestCluster } from "../cluster/testing/up-cluster.ts";
import { connectRedis } from "./ledger/connection.ts";
import { instanceSubject, isWhole } from "./subjects/redis-instance.ts";
import type { Server } from "./subjects/subject.ts";

/** What is to be idle, and for how long. */
export interface IdleOptions {
  readonly instances: number;
  readonly minutes: number;
  /** Nobody answers in simulated pods, so that there are no commands to count. */
  readonly isSimulated: boolean;
  readonly onNews: (line: string) => void;
}

/** What was asked of the API server and of all Redis servers while nothing happened: how often. */
export interface IdleFigures {
  readonly servers: number;
  /** By who asked, verb and resource. */
  readonly requests: ReadonlyMap<string, number>;
  /** By command. */
  readonly commands: ReadonlyMap<string, number>;
  /** What an idle operator does not do. */
  readonly problems: readonly string[];
}

const clock = realClock;
const namespace = "default";
/** Until what was begun has come to its end: servers that never answer are looked at again for two minutes. */
const settleMs = 180_000;
const operator = "system:serviceaccount:operator-system:operator-controller-manager";

/** Writes a policy that lets the audit log tell of every request, for `kedge up --audit-policy-file`. */
export function writeAuditPolicy(path: string): void {
  const lines = ["apiVersion: audit.k8s.io/v1", "kind: Policy", "omitStages: [RequestReceived]"];
  writeFileSync(path, [...lines, "rules: [{level: Metadata}]", ""].join("\n"));
}

/** Makes instances, every other one with a replica, leaves them alone, and counts what happens nevertheless. */
export async function stayIdle(
  cluster: TestCluster,
  { instances, minutes, isSimulated, onNews }: IdleOptions,
): Promise<IdleFigures> {
  const names = Array.from({ length: instances }, (_, index) => `idle-${index}`);
  const began = clock.monotonic();
  for (const [index, name] of names.entries())
    await cluster.client.of(RedisInstance).apply(
      {
        metadata: { namespace, name },
        spec: { image: "redis:7.0", replicas: 1 + (index % 2), storage: { size: "100Mi" } },
      },
      { fieldManager: "e2e" },
    );
  await untilAllRun(cluster, names.length, onNews);
  onNews(`${names.length} instances run after ${((clock.monotonic() - began) / 1000).toFixed(0)} s`);
  await clock.sleep(settleMs);
  const servers: Server[] = [];
  if (!isSimulated)
    for (const name of names) servers.push(...(await (await instanceSubject(cluster, name)).servers()));
  const before = await commandsOf(servers);
  const from = clock.now();
  await clock.sleep(minutes * 60_000);
  const until = clock.now();
  const after = await commandsOf(servers);
  // What is told of is written down a moment later.
  await clock.sleep(2000);
  const requests = requestsIn(join(cluster.dir, "audit"), { from, until });
  const isTooMuch = (request: string): boolean =>
    request.startsWith(`${operator} `) && !/ (?:watch|get) /u.test(request);
  return {
    servers: servers.length,
    requests,
    commands: new Map([...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)])),
    problems: [...requests].filter(([one]) => isTooMuch(one)).map(([one, count]) => `${count} ${one}`),
  };
}

async function untilAllRun(
  { client }: TestCluster,
  count: number,
  onNews: (line: string) => void,
): Promise<void> {
  let told = 0;
  for (;;) {
    const { items } = await client.of(RedisInstance).list({ namespace }).all();
    const running = items.filter(isWhole).length;
    if (running === count) return;
    if (running >= told + 100) onNews(`${running} of ${count} run`);
    if (running >= told + 100) told = running;
    await clock.sleep(5000);
  }
}

/** The commands that servers have carried out since their start, by name. Our own questions are among them. */
async function commandsOf(servers: readonly Server[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { address } of servers) {
    using connection = await connectRedis(address, { clock });
    const text = String(await connection.call(["INFO", "commandstats"]));
    for (const [, name = "", calls = ""] of text.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gmu))
      counts.set(name, (counts.get(name) ?? 0) + Number(calls));
  }
  return counts;
}

function requestsIn(
  folder: string,
  { from, until }: { readonly from: number; readonly until: number },
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".log")))
    for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
      if (line === "") continue;
      const event = JSON.parse(line) as {
        readonly verb: string;
        readonly requestReceivedTimestamp: string;
        readonly stage: string;
        readonly user: { readonly username: string };
        readonly requestURI: string;
        readonly objectRef?: { readonly resource: string; readonly subresource?: string };
      };
      const at = Date.parse(event.requestReceivedTimestamp);
      if (at < from || at > until || event.stage === "ResponseStarted") continue;
      const { resource = event.requestURI, subresource } = event.objectRef ?? {};
      const what = subresource === undefined ? resource : `${resource}/${subresource}`;
      const key = `${event.user.username} ${event.verb} ${what}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return counts;
}
