import { VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { Meter } from "./meter.ts";
import type { Action } from "./plan/types.ts";
import { instanceOf, observedOf } from "./testing/builders.ts";
import { serversOf } from "./testing/servers.ts";

const servers = serversOf({ fails: "TIMEOUT", silentMs: 300 }, {});
const observed = observedOf(instanceOf(), { servers });
const server = { pod: "cache-1", host: "10.0.0.1", as: "kedge-operator-1" };
const admit: Action = {
  type: "admit",
  server,
  users: [],
  epoch: 2,
  role: "primary",
  follow: "",
  cutClients: false,
  isNeeded: true,
  abortsFailover: false,
};
const lost: Action = {
  type: "take epoch",
  before: { epoch: 1, primary: "cache-0" },
  next: { epoch: 2, primary: "cache-1" },
  lost: { pod: "cache-0", uid: "cache-0" },
};

/** What it says, by the name of a metric and its labels. */
function said(meter: Meter): Readonly<Record<string, number>> {
  return Object.fromEntries(
    meter
      .gauges()
      .flatMap(({ name, values }) =>
        values().map(({ labels, value }) => [[name, ...Object.values(labels)].join(" "), value]),
      ),
  );
}

it("counts operations, and how long nobody could write when a primary was lost or handed over", async () => {
  const clock = new VirtualClock();
  const meter = new Meter();
  const about = { observed, clock };
  const taking = (ms: number) => () => clock.sleep(ms);
  const run = async (action: Action, ms: number): Promise<void> => {
    const done = meter.time(action, about, taking(ms));
    await clock.advance(ms);
    await done;
  };
  await run(lost, 20);
  await run(admit, 30);
  expect(said(meter)).toMatchObject({
    "kedge_redis_primary_changes_total lost": 1,
    "kedge_redis_primary_changes_seconds_total lost": 0.33,
    "kedge_redis_write_gap_seconds shop cache": 0.33,
    "kedge_redis_operations_total admit done": 1,
    "kedge_redis_operations_seconds_total admit done": 0.03,
  });
  await run(
    {
      type: "hand over",
      server,
      to: { pod: "cache-0", host: "10.0.0.0", as: "kedge-operator-1" },
      epoch: 2,
      wish: undefined,
    },
    40,
  );
  await run(admit, 10);
  expect(said(meter)).toMatchObject({
    "kedge_redis_primary_changes_total switchover": 1,
    "kedge_redis_write_gap_seconds shop cache": 0.05,
  });
  await expect(meter.time(admit, about, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(said(meter)).toMatchObject({ "kedge_redis_operations_total admit failed": 1 });
  // Admitted again without a change: nobody waited for it.
  await run(admit, 10);
  expect(said(meter)["kedge_redis_primary_changes_total switchover"]).toBe(1);
  meter.forget({ namespace: "shop", name: "cache" });
  expect(said(meter)["kedge_redis_write_gap_seconds shop cache"]).toBeUndefined();
});
