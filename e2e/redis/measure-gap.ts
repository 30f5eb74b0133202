import { realClock } from "@kedge/machinery";
import { connectRedis } from "./ledger/connection.ts";
import { startLedger } from "./ledger/ledger.ts";
import type { LostWrite, ServerPage } from "./ledger/ledger-book.ts";
import type { Server, Subject } from "./subjects/subject.ts";
import { waitInSync } from "./testing/roles.ts";
import { until } from "./testing/until.ts";

const clock = realClock;

/** What happens to a primary, and what brings it back. */
export interface Fault {
  readonly name: string;
  strike(primary: Server): Promise<void>;
  /** Done when another server has taken over. Default: nothing, it comes back by itself. */
  heal?(primary: Server): Promise<void>;
  /** When another server was seen as a primary, if this fault looks for that. */
  replacedAt?(): number | undefined;
}

/** What clients saw of a fault. */
export interface GapFigures {
  /** The longest time without an acknowledgement since the fault. */
  readonly gapMs: number;
  readonly acknowledged: number;
  /** Acknowledged writes that the primary does not have in the end. */
  readonly lost: readonly LostWrite[];
  /** When the fault began, by the clock's monotonic time. */
  readonly struckAt: number;
  /** Writes that the old primary has acknowledged after the new one had begun to: to this client, and to one that was connected to the old primary itself. */
  readonly late: number;
  readonly lateToStubborn: number;
  /** Who acknowledged when, in milliseconds after the fault: to this client, and to the stubborn one. */
  readonly servers: readonly string[];
  /** From the fault until all servers are in sync again. */
  readonly wholeMs: number;
  /** What servers answered instead of an acknowledgement. */
  readonly refusals: Readonly<Record<string, number>>;
}

/** How it is measured. */
export interface MeasureOptions {
  readonly writesPerSecond?: number;
  /** How long writes go on before the fault and after it. Default 2 s. */
  readonly aroundMs?: number;
}

let runs = 0;

/** Writes through the subject's own way, lets the fault happen to its primary, and says what became of the writes. */
export async function measureGap(
  subject: Subject,
  fault: Fault,
  { writesPerSecond = 5000, aroundMs = 2000 }: MeasureOptions = {},
): Promise<GapFigures> {
  await waitInSync(() => subject.servers());
  const name = `run-${++runs}`;
  const primary = await subject.primary();
  await using ledger = startLedger({
    clock,
    name,
    writesPerSecond,
    route: (signal) => subject.route(signal),
  });
  // A client that was told of the old primary, and of nothing since.
  await using stubborn = startLedger({
    clock,
    name: `${name}-stubborn`,
    writesPerSecond: 200,
    route: () => Promise.resolve(primary.address),
  });
  const { book } = ledger;
  await until("writes are acknowledged", () => book.acknowledged > 0 && stubborn.book.acknowledged > 0);
  await clock.sleep(aroundMs);
  const [before] = book.servers.slice(-1);
  const struck = clock.monotonic();
  await fault.strike(primary);
  const isServedAgain = (): boolean => {
    const [page] = book.servers.slice(-1);
    return page !== undefined && page.runId !== before?.runId && page.count > 10;
  };
  await until(`another server takes writes after ${fault.name}`, isServedAgain);
  await fault.heal?.(primary);
  await waitInSync(() => subject.servers());
  const wholeMs = clock.monotonic() - struck;
  await clock.sleep(aroundMs);
  await Promise.all([ledger.stop(), stubborn.stop()]);
  const pageText =
    (who: string) =>
    ({ runId, firstAt, lastAt, count }: ServerPage): string =>
      `${who}${runId.slice(0, 8)}: ${count} from ${(firstAt - struck).toFixed(0)} to ${(lastAt - struck).toFixed(0)}`;
  const next = book.servers.find(({ firstAt }) => firstAt > struck);
  const replacedAt = Math.min(next?.firstAt ?? Infinity, fault.replacedAt?.() ?? Infinity);
  return {
    gapMs: book.longestGap(struck),
    acknowledged: book.acknowledged,
    struckAt: struck,
    lost: await lostNow(subject, book),
    late: Math.max(
      book.acknowledgedWhenReplaced(),
      before === undefined ? 0 : book.acknowledgedBy(before.runId, replacedAt),
    ),
    lateToStubborn: next === undefined ? 0 : stubborn.book.acknowledgedByOthers(next.runId, replacedAt),
    servers: [...book.servers.map(pageText("")), ...stubborn.book.servers.map(pageText("stubborn "))],
    wholeMs,
    refusals: book.refusals,
  };
}

/** Which acknowledged writes the primary of now does not have. */
export async function lostNow(
  subject: Subject,
  book: { lostOn(connection: Awaited<ReturnType<typeof connectRedis>>): Promise<readonly LostWrite[]> },
): Promise<readonly LostWrite[]> {
  const { address } = await subject.primary();
  using connection = await connectRedis(address, { clock });
  return await book.lostOn(connection);
}
