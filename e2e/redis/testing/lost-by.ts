import { realClock } from "@kedge/machinery";
import { startLedger } from "../ledger/ledger.ts";
import type { LostWrite } from "../ledger/ledger-book.ts";
import { lostNow } from "../measure-gap.ts";
import type { Server, Subject } from "../subjects/subject.ts";
import { askRole, waitInSync } from "./roles.ts";
import { until } from "./until.ts";

const clock = realClock;

/** Writes for a while, lets something happen, and gives what was acknowledged before and is not there any more. */
export async function lostBy(
  instance: Subject,
  trouble: (primary: Server) => Promise<void>,
): Promise<readonly LostWrite[]> {
  const ledger = startLedger({
    clock,
    name: "before",
    writesPerSecond: 1000,
    route: () => instance.route(),
  });
  await until("writes are acknowledged", () => ledger.book.acknowledged > 2000);
  await ledger.stop();
  const primary = await instance.primary();
  // What is on its way to the replicas arrives.
  await until("replicas have all", async () => {
    const [head, ...others] = await Promise.all(
      [primary, ...(await instance.servers()).filter(({ pod }) => pod !== primary.pod)].map(askRole),
    );
    return others.every(
      (one) => Number(one["slave_repl_offset"]) >= Number(head?.["master_repl_offset"]) - 200,
    );
  });
  await trouble(primary);
  await waitInSync(() => instance.servers());
  const lost = await lostNow(instance, ledger.book);
  await using after = startLedger({
    clock,
    name: "after",
    writesPerSecond: 500,
    route: () => instance.route(),
  });
  await until("it takes writes again", () => after.book.acknowledged > 100);
  return lost;
}
