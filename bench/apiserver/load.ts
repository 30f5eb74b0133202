import { realClock } from "@kedge/machinery";
import { withConnections, type Connection } from "./connections.ts";
import { percentile } from "./percentile.ts";
import type { ServerProcess } from "../server-process.ts";

/** Requests of one kind, by so many clients at once; each sends its next when it has its answer. */
export interface Load {
  readonly title: string;
  readonly clients: number;
  readonly count: number;
  readonly send: (connection: Connection, index: number) => Promise<unknown>;
}

/** How many a second, how long they take, and what they cost the server. */
export async function loadOf(
  server: ServerProcess,
  { title, clients, count, send }: Load,
): Promise<Map<string, number>> {
  return await withConnections(server.access, clients, async (connections) => {
    const times: number[] = [];
    let next = 0;
    const cpuBefore = server.cpu();
    const began = realClock.monotonic();
    await Promise.all(
      connections.map(async (connection) => {
        for (let index = next++; index < count; index = next++) {
          const sent = realClock.monotonic();
          await send(connection, index);
          times.push(realClock.monotonic() - sent);
        }
      }),
    );
    const seconds = (realClock.monotonic() - began) / 1000;
    return new Map([
      [`${title}, /s`, count / seconds],
      [`${title}, p50 ms`, percentile(times, 0.5)],
      [`${title}, p99 ms`, percentile(times, 0.99)],
      [`${title}, CPU ms`, (server.cpu() - cpuBefore) / count],
    ]);
  });
}
