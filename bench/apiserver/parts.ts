import { realClock } from "@kedge/machinery";
import { Connection, withConnections, type Access } from "./connections.ts";
import { loadOf } from "./load.ts";
import { percentile } from "./percentile.ts";
import type { ServerProcess } from "../server-process.ts";

/** What was measured of one server: figures by name. */
export type Figures = ReadonlyMap<string, number>;

/** A part of the measurement. Parts run in this order on one server, each on what those before it have left. */
export interface Part {
  readonly name: string;
  readonly run: (server: ServerProcess) => Promise<Figures>;
}

/** Everything that is measured. A part that was not asked for is left out, except for the start. */
export const parts: readonly Part[] = [
  { name: "start", run: start },
  ...[1, 32, 128].map((clients) => ({ name: `create ${clients}`, run: creates(clients) })),
  ...[1, 32, 128].map((clients) => ({ name: `get ${clients}`, run: gets(clients) })),
  { name: "fan-out", run: fanOut },
  { name: "list", run: lists },
];

const maps = "/api/v1/namespaces/default/configmaps";
/** How many ConfigMaps there are to read, and how many a large list has. */
const readable = 500;
const listed = 10_000;

function draft(name: string, labels: object = {}): string {
  return JSON.stringify({ metadata: { name, labels }, data: { key: "x".repeat(1000) } });
}

/** From starting the first program to having the event of a first create. */
async function start(server: ServerProcess): Promise<Figures> {
  const connection = await Connection.open(server.access);
  const seen = Promise.withResolvers<void>();
  await connection.watch(`${maps}?watch=true&fieldSelector=metadata.name%3Dfirst`, () => seen.resolve());
  await connection.send("POST", maps, draft("first"));
  await seen.promise;
  const ms = realClock.now() - server.began;
  connection.close();
  // The garbage of the start is no memory that an idle server needs.
  await realClock.sleep(2000);
  return new Map([
    ["first create and event, ms", ms],
    ["idle, MiB", server.memory()],
  ]);
}

function creates(clients: number): Part["run"] {
  const count = clients === 1 ? 300 : 3000;
  return async (server) => {
    await fill(server.access, `warm-${clients}`, clients * 5);
    return await loadOf(server, {
      title: `create, ${clients} ${clients === 1 ? "client" : "clients"}`,
      clients,
      count,
      send: (connection, index) => connection.send("POST", maps, draft(`c${clients}-${index}`)),
    });
  };
}

function gets(clients: number): Part["run"] {
  const count = clients === 1 ? 500 : 4000;
  return async (server) => {
    await fill(server.access, "read", readable);
    return await loadOf(server, {
      title: `get, ${clients} ${clients === 1 ? "client" : "clients"}`,
      clients,
      count,
      send: (connection, index) => connection.send("GET", `${maps}/read-${index % readable}`),
    });
  };
}

/** One writer, many watchers: from sending a write to each of them having its event. */
async function fanOut(server: ServerProcess): Promise<Figures> {
  const [watchers, writes] = [100, 200];
  return await withConnections(server.access, watchers + 1, async ([writer, ...readers]) => {
    const late: number[] = [];
    let sent = 0;
    let waiting = 0;
    let all = Promise.withResolvers<void>();
    const onLine = (): void => {
      late.push(realClock.monotonic() - sent);
      if (--waiting === 0) all.resolve();
    };
    for (const reader of readers)
      await reader.watch(`${maps}?watch=true&labelSelector=bench%3Dfan&resourceVersion=0`, onLine);
    const before = server.cpu();
    for (let index = 0; index < writes; index++) {
      all = Promise.withResolvers<void>();
      waiting = readers.length;
      sent = realClock.monotonic();
      await writer?.send("POST", maps, draft(`fan-${index}-${Math.trunc(sent)}`, { bench: "fan" }));
      await all.promise;
    }
    const cpu = server.cpu() - before;
    return new Map([
      [`write to event, ${watchers} watchers, p50 ms`, percentile(late, 0.5)],
      [`write to event, ${watchers} watchers, p99 ms`, percentile(late, 0.99)],
      ["fan-out, CPU ms/write", cpu / writes],
    ]);
  });
}

async function lists(server: ServerProcess): Promise<Figures> {
  await fill(server.access, "listed", listed);
  const before = server.memory();
  return await withConnections(server.access, 1, async ([connection]) => {
    if (connection === undefined) throw new Error("no connection");
    const rounds = 8;
    const times: number[] = [];
    const cpuBefore = server.cpu();
    let peak = before;
    for (let round = 0; round < rounds; round++) {
      const began = realClock.monotonic();
      await connection.send("GET", maps);
      times.push(realClock.monotonic() - began);
      peak = Math.max(peak, server.memory());
    }
    return new Map([
      ["list of 10,000, p50 ms", percentile(times, 0.5)],
      ["list of 10,000, CPU ms", (server.cpu() - cpuBefore) / rounds],
      ["10,000 objects, MiB", before],
      ["10,000 objects, lists, MiB", peak],
    ]);
  });
}

const filled = new WeakMap<Access, Set<string>>();

/** So many ConfigMaps with this prefix, once for each server. */
async function fill(access: Access, prefix: string, count: number): Promise<void> {
  const done = filled.get(access) ?? new Set();
  filled.set(access, done);
  if (done.has(prefix)) return;
  done.add(prefix);
  await withConnections(access, 16, async (connections) => {
    let next = 0;
    await Promise.all(
      connections.map(async (connection) => {
        for (let index = next++; index < count; index = next++)
          await connection.send("POST", maps, draft(`${prefix}-${index}`));
      }),
    );
  });
}
