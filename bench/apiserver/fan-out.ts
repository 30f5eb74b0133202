import { realClock } from "@kedge/machinery";
import { withConnections } from "./connections.ts";
import { draft, maps } from "./objects.ts";
import type { Figures, PartOptions } from "./part.ts";
import { percentile } from "./percentile.ts";
import type { ServerProcess } from "../server-process.ts";

const watchers = 100;
const selected = "watch=true&labelSelector=bench%3D";

/** One writer, many watchers: from sending a write to each of them having its event. */
export async function fanOut(server: ServerProcess): Promise<Figures> {
  const writes = 200;
  return await withConnections(server.access, watchers + 1, async ([writer, ...readers]) => {
    const late: number[] = [];
    let sent = 0;
    let waiting = 0;
    let all = Promise.withResolvers<void>();
    const onLine = (): void => {
      late.push(realClock.monotonic() - sent);
      if (--waiting === 0) all.resolve();
    };
    for (const reader of readers) await reader.watch(`${maps}?${selected}fan&resourceVersion=0`, onLine);
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

/** Writers that wait for no event, many watchers: how long until each has all of them, and how late each one is. */
export async function storm(server: ServerProcess, { short }: PartOptions): Promise<Figures> {
  const [writers, writes] = [4, short ? 1000 : 10_000];
  return await withConnections(server.access, watchers + writers, async (connections) => {
    const sent: number[] = [];
    const late: number[] = [];
    const all = Promise.withResolvers<void>();
    let waiting = watchers * writes;
    const onLine = (line: string): void => {
      const [, index = ""] = /"name":"storm-(\d+)"/u.exec(line) ?? [];
      // One in ten tells as much, and a million numbers cost the one that measures.
      if (waiting % 10 === 0) late.push(realClock.monotonic() - (sent[Number(index)] ?? Number.NaN));
      if (--waiting === 0) all.resolve();
    };
    for (const reader of connections.slice(writers))
      await reader.watch(`${maps}?${selected}storm&resourceVersion=0`, onLine);
    const [began, before] = [realClock.monotonic(), server.cpu()];
    let next = 0;
    await Promise.all(
      connections.slice(0, writers).map(async (writer) => {
        for (let index = next++; index < writes; index = next++) {
          sent[index] = realClock.monotonic();
          const metadata = { name: `storm-${index}`, labels: { bench: "storm" } };
          await writer.send("POST", maps, JSON.stringify({ metadata, data: { key: "x" } }));
        }
      }),
    );
    await all.promise;
    const seconds = (realClock.monotonic() - began) / 1000;
    const title = `${watchers} watchers × ${writes.toLocaleString("en")} events`;
    return new Map([
      [`${title}, /s`, (watchers * writes) / seconds],
      [`${title}, p50 ms`, percentile(late, 0.5)],
      [`${title}, p99 ms`, percentile(late, 0.99)],
      [`${title}, CPU ms/write`, (server.cpu() - before) / writes],
    ]);
  });
}
