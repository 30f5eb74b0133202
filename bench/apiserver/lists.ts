import { realClock } from "@kedge/machinery";
import { withConnections, type Connection } from "./connections.ts";
import { fill, maps } from "./objects.ts";
import type { Figures } from "./part.ts";
import { percentile } from "./percentile.ts";
import type { ServerProcess } from "../server-process.ts";

const listed = 10_000;
const rounds = 8;

/** A large list, whole and in pages, and the memory that it takes. */
export async function lists(server: ServerProcess): Promise<Figures> {
  await fill(server.access, "listed", listed);
  const before = server.memory();
  return await withConnections(server.access, 1, async ([connection]) => {
    if (connection === undefined) throw new Error("no connection");
    const whole = await timed(server, async () => void (await connection.send("GET", maps)));
    const paged = await timed(server, () => readPages(connection));
    return new Map([
      ["list of 10,000, p50 ms", whole.p50],
      ["list of 10,000, CPU ms", whole.cpu],
      ["list of 10,000 in pages of 500, p50 ms", paged.p50],
      ["list of 10,000 in pages of 500, CPU ms", paged.cpu],
      ["10,000 objects, MiB", before],
      ["10,000 objects, lists, MiB", Math.max(whole.peak, paged.peak)],
    ]);
  });
}

async function readPages(connection: Connection): Promise<void> {
  let token: string | undefined = "";
  while (token !== undefined) {
    const text = await connection.read(`${maps}?limit=500&continue=${encodeURIComponent(token)}`);
    // Both servers write the list's own metadata before its items.
    [, token] = /"continue":"([^"]+)"/u.exec(text.slice(0, 1000)) ?? [];
  }
}

async function timed(
  server: ServerProcess,
  once: () => Promise<void>,
): Promise<{ readonly p50: number; readonly cpu: number; readonly peak: number }> {
  const times: number[] = [];
  const before = server.cpu();
  let peak = 0;
  for (let round = 0; round < rounds; round++) {
    const began = realClock.monotonic();
    await once();
    times.push(realClock.monotonic() - began);
    peak = Math.max(peak, server.memory());
  }
  return { p50: percentile(times, 0.5), cpu: (server.cpu() - before) / rounds, peak };
}
