import { messageOf, realClock } from "@kedge/machinery";
import { connectRedis } from "../ledger/connection.ts";
import type { Server } from "../subjects/subject.ts";

const clock = realClock;

/** What a server says of itself: its fields of `INFO replication`. */
export async function askRole({ address }: Server): Promise<Readonly<Record<string, string>>> {
  using connection = await connectRedis(address, { clock, timeoutMs: 2000 });
  const text = String(await connection.call(["INFO", "replication"], 2000));
  return Object.fromEntries(
    [...text.matchAll(/^(\w+):(.*?)\r?$/gmu)].map(([, name = "", value = ""]) => [name, value]),
  );
}

/** Waits until there are so many servers, one of them primary, and all others follow it and have all of its data. */
export async function waitInSync(
  servers: () => Promise<readonly Server[]>,
  { count = 3, timeoutMs = 240_000 }: { readonly count?: number; readonly timeoutMs?: number } = {},
): Promise<void> {
  const until = clock.monotonic() + timeoutMs;
  for (;;) {
    const why = await whyNotInSync(await servers(), count);
    if (why === undefined) return;
    if (clock.monotonic() > until) throw new Error(`not in sync within ${timeoutMs / 1000} s: ${why}`);
    await clock.sleep(100);
  }
}

async function whyNotInSync(servers: readonly Server[], count: number): Promise<string | undefined> {
  if (servers.length !== count) return `${servers.length} servers of ${count}`;
  const roles: readonly Readonly<Record<string, string>>[] = await Promise.all(
    servers.map((server) => askRole(server).catch((error: unknown) => ({ role: messageOf(error) }))),
  );
  const said = servers.map(({ pod }, index) => `${pod}: ${JSON.stringify(roles[index])}`).join("\n");
  const primaries = roles.filter(({ role }) => role === "master");
  const [primary] = primaries;
  if (primary === undefined || primaries.length > 1) return `${primaries.length} primaries\n${said}`;
  const hasAll = (role: Readonly<Record<string, string>>): boolean =>
    role["master_link_status"] === "up" &&
    role["master_sync_in_progress"] === "0" &&
    role["master_replid"] === primary["master_replid"];
  return roles.every((role) => role === primary || hasAll(role)) ? undefined : said;
}
