import { realClock, VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { dealHand } from "./deal-hand.ts";
import { TooManyRequests, type FlowControl, type Seat } from "./flow-control.ts";
import { ask, bootstrapped, everythingOf, levelObject, schemaObject, setObject } from "./testing/flows.ts";

const list = (name: string) => ask(name, [], "GET", "/api/v1/pods");

interface Asking {
  seat?: Seat | undefined;
  refused?: number;
}

/** What became of a request, so far. */
function asking(
  flows: FlowControl,
  name: string,
  {
    objects = 1,
    ...more
  }: { objects?: number; bytes?: number; patience?: number; signal?: AbortSignal } = {},
): Asking {
  const state: Asking = {};
  const take = async (): Promise<void> => {
    try {
      state.seat = (await flows.enter({ attributes: list(name), objects: () => objects, ...more })).seat;
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error;
      state.refused = error.retryAfter;
    }
  };
  void take();
  return state;
}

const seatedOf = (all: readonly Asking[]): readonly Asking[] => all.filter(({ seat }) => seat !== undefined);
const refusedOf = (all: readonly Asking[]): readonly Asking[] =>
  all.filter(({ refused }) => refused !== undefined);
const release = (all: readonly Asking[]): void => all.forEach(({ seat }) => seat?.release());

it("gives each level its seats, lets the rest wait, and refuses what finds no room to wait", async () => {
  const clock = new VirtualClock();
  const flows = bootstrapped(clock);
  const all = Array.from({ length: 400 }, () => asking(flows, "noisy"));
  await clock.settle();
  // 20 of 245 shares of 600 seats, of which it keeps half, and its part of what nobody needs; six queues of fifty.
  const seats = flows.load("global-default")?.seats ?? 0;
  expect(seats).toBe(56);
  expect([seatedOf(all).length, refusedOf(all).length, flows.load("global-default")?.waiting]).toEqual([
    seats,
    400 - seats - 300,
    300,
  ]);
  // Another user waits in queues of its own, and its turn comes soon.
  const quiet = asking(flows, "quiet");
  await clock.settle();
  expect(quiet).toEqual({});
  release(seatedOf(all).slice(0, 14));
  await clock.settle();
  expect(quiet.seat).toBeDefined();
  // Other levels do not notice.
  expect(flows.load("workload-low")).toMatchObject({ inUse: 0, waiting: 0 });
  flows.close();
});

it("lends what others do not need to those who wait, within their bounds, and takes it back", async () => {
  const clock = new VirtualClock();
  const flows = bootstrapped(clock);
  setObject(
    flows,
    schemaObject("mine", "mine", { rules: [everythingOf({ kind: "User", user: { name: "me" } })] }),
  );
  setObject(
    flows,
    levelObject("mine", {
      nominalConcurrencyShares: 20,
      borrowingLimitPercent: 50,
      limitResponse: { type: "Queue", queuing: { queues: 4, handSize: 1, queueLengthLimit: 1000 } },
    }),
  );
  const before = flows.load("mine")?.seats ?? 0;
  Array.from({ length: 500 }, () => asking(flows, "me"));
  await clock.advance(10_000);
  // 20 of 265 shares of 600 seats are 46, and half as many more.
  expect([before <= 69, flows.load("mine")?.seats, flows.load("mine")?.inUse]).toEqual([true, 69, 69]);
  // What nobody may borrow is left to the others.
  expect(flows.load("leader-election")?.seats).toBeGreaterThanOrEqual(23);
  // Nobody renews: all are taken back from their clients, or refused, after a minute and a quarter.
  await clock.advance(80_000);
  expect(flows.load("mine")).toMatchObject({ inUse: 0, waiting: 0 });
  await clock.advance(10 * 60_000);
  expect(flows.load("mine")?.seats).toBe(before);
  flows.close();
});

it.each([
  ["as long as others", undefined, 15_000],
  ["no longer than it says", 1000, 1000],
])("lets a request wait %s", async (_title, patience, ms) => {
  const clock = new VirtualClock();
  const flows = bootstrapped(clock);
  const limitResponse = { type: "Queue", queuing: { queues: 1, handSize: 1, queueLengthLimit: 50 } };
  const limits = { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, limitResponse };
  setObject(flows, levelObject("global-default", limits));
  Array.from({ length: 3 }, () => asking(flows, "noisy"));
  const late = asking(flows, "quiet", patience === undefined ? {} : { patience });
  await clock.advance(ms - 1);
  expect([late, flows.load("global-default")?.waiting]).toEqual([{}, 1]);
  await clock.advance(1);
  expect([late, flows.load("global-default")?.waiting]).toEqual([{ refused: 1 }, 0]);
  flows.close();
});

it("forgets requests whose clients have gone while they waited, all ten thousand of them", async () => {
  const clock = new VirtualClock();
  const flows = bootstrapped(clock);
  const queuing = { queues: 10_000_000, handSize: 2, queueLengthLimit: 1_000_000 };
  const rules = [everythingOf({ kind: "Group", group: { name: "system:authenticated" } })];
  setObject(
    flows,
    levelObject("wide", { limitResponse: { type: "Queue", queuing }, nominalConcurrencyShares: 1 }),
  );
  setObject(
    flows,
    schemaObject("wide", "wide", { distinguisherMethod: { type: "ByUser" }, matchingPrecedence: 3, rules }),
  );
  const clients = Array.from({ length: 10_100 }, () => new AbortController());
  const { seats = 0 } = flows.load("wide") ?? {};
  const start = realClock.monotonic();
  const all = clients.map(({ signal }, i) => asking(flows, `user-${i}`, { signal }));
  await clock.settle();
  const queued = realClock.monotonic();
  expect([seatedOf(all).length, refusedOf(all).length, flows.load("wide")?.waiting]).toEqual([
    seats,
    100 - seats,
    10_000,
  ]);
  clients.forEach((client) => client.abort());
  await clock.settle();
  const left = realClock.monotonic();
  process.stdout.write(
    `10,000 wait: ${Math.round(queued - start)} ms; all go: ${Math.round(left - queued)} ms\n`,
  );
  expect(flows.load("wide")).toEqual({ seats, inUse: seats, waiting: 0 });
  release(all);
  // And there is room again.
  expect(asking(flows, "user-1")).toEqual({});
  await clock.settle();
  expect(flows.load("wide")?.inUse).toBe(1);
  flows.close();
});

it("lets no more wait than there is memory for what they sent", async () => {
  const clock = new VirtualClock();
  const flows = bootstrapped(clock);
  const { seats = 0 } = flows.load("global-default") ?? {};
  Array.from({ length: seats }, () => asking(flows, "noisy"));
  const bytes = 3 * 1024 * 1024;
  const heavy = Array.from({ length: 100 }, () => asking(flows, "noisy", { bytes }));
  const light = asking(flows, "noisy");
  await clock.settle();
  // 85 times three megabytes are all but one of 256.
  expect([refusedOf(heavy).length, light]).toEqual([15, {}]);
  await clock.advance(80_000);
  const { seats: now = 0, ...left } = flows.load("global-default") ?? {};
  expect(left).toEqual({ inUse: 0, waiting: 0 });
  // And there is room again.
  Array.from({ length: now }, () => asking(flows, "noisy"));
  const again = Array.from({ length: 85 }, () => asking(flows, "noisy", { bytes }));
  await clock.settle();
  expect([flows.load("global-default")?.waiting, refusedOf(again).length]).toEqual([85, 0]);
  flows.close();
});

it("counts a long list as many, and gives seats back once", async () => {
  const clock = new VirtualClock();
  const flows = bootstrapped(clock);
  const wide = Array.from({ length: 10 }, () => asking(flows, "noisy", { objects: 10_000 }));
  await clock.settle();
  // Eight seats each, which is 15 % of its own.
  expect(seatedOf(wide).length).toBe(7);
  release(wide);
  release(wide);
  await clock.settle();
  release(wide);
  expect(flows.load("global-default")).toMatchObject({ inUse: 0, waiting: 0 });
  flows.close();
});

it("keeps who waits when a level changes, and lets them in when it grows", async () => {
  const clock = new VirtualClock();
  const flows = bootstrapped(clock);
  const limits = (nominalConcurrencyShares: number, limitResponse: object) =>
    levelObject("global-default", { nominalConcurrencyShares, borrowingLimitPercent: 0, limitResponse });
  const queuing = { queues: 1, handSize: 1, queueLengthLimit: 50 };
  setObject(flows, limits(1, { type: "Queue", queuing }));
  const all = Array.from({ length: 10 }, () => asking(flows, "noisy"));
  await clock.settle();
  expect(flows.load("global-default")).toEqual({ seats: 3, inUse: 3, waiting: 7 });
  setObject(flows, limits(2, { type: "Reject" }));
  expect(flows.load("global-default")).toEqual({ seats: 6, inUse: 6, waiting: 4 });
  const more = asking(flows, "noisy");
  await clock.settle();
  expect(more).toEqual({ refused: 1 });
  flows.deleteLevel("global-default");
  release(seatedOf(all));
  await clock.settle();
  expect(seatedOf(all).length).toBe(10);
  flows.close();
});

it("takes seats back from a request whose answer nobody reads to its end", async () => {
  const clock = new VirtualClock();
  const flows = bootstrapped(clock);
  const one = asking(flows, "gone");
  await clock.settle();
  expect(flows.load("global-default")?.inUse).toBe(1);
  await clock.advance(65_000);
  expect(flows.load("global-default")?.inUse).toBe(0);
  one.seat?.release();
  expect(flows.load("global-default")?.inUse).toBe(0);
  flows.close();
});

it("tells those who are refused to come again later the more there are, and sooner when they get fewer", async () => {
  const clock = new VirtualClock();
  const flows = bootstrapped(clock);
  setObject(flows, levelObject("global-default", { nominalConcurrencyShares: 1, borrowingLimitPercent: 0 }));
  Array.from({ length: 3 }, () => asking(flows, "noisy"));
  const told: (number | undefined)[] = [];
  for (let second = 0; second < 60; second++) {
    const all = Array.from({ length: second < 10 ? 20 : second % 3 === 0 ? 1 : 0 }, () =>
      asking(flows, "noisy"),
    );
    await clock.advance(1000);
    told.push(all[0]?.refused);
  }
  expect(told.slice(0, 5)).toEqual([1, 2, 2, 4, 4]);
  expect(Math.max(...told.map((seconds) => seconds ?? 0))).toBe(16);
  expect(told.at(57)).toBeLessThan(16);
  flows.close();
});

it.each([
  [128, 6],
  [10_000_000, 2],
  [3, 3],
])("deals each flow of %i queues a hand of %i of its own", (queues, handSize) => {
  const hands = Array.from({ length: 200 }, (_, i) => dealHand(`flow-${i}`, { queues, handSize }));
  for (const hand of hands) {
    expect(new Set(hand).size).toBe(handSize);
    expect(hand.every((at) => at >= 0 && at < queues)).toBe(true);
  }
  expect(new Set(hands.map((hand) => hand.join())).size).toBe(queues === 3 ? 1 : 200);
});
