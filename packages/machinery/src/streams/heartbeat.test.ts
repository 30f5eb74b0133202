import { VirtualClock } from "../virtual-time/virtual-clock.ts";
import { expect, test } from "vitest";
import { startHeartbeat, type Heartbeat } from "./heartbeat.ts";

test("a connection that shows life is never asked", async () => {
  const { clock, heartbeat, events } = start();
  for (let round = 0; round < 10; round++) {
    await clock.advance(29_000);
    heartbeat.alive();
  }
  expect(events).toEqual([]);
});

test("silence of 30 seconds is asked about once, and counts from the last sign of life", async () => {
  const { clock, heartbeat, events } = start();
  await clock.advance(20_000);
  heartbeat.alive();
  await clock.advance(29_999);
  expect(events).toEqual([]);
  await clock.advance(1);
  expect(events).toEqual(["ping at 50000"]);
  await clock.advance(29_999);
  expect(events).toEqual(["ping at 50000"]);
});

test("no answer within 30 more seconds is death, told once", async () => {
  const { clock, events } = start();
  await clock.advance(300_000);
  expect(events).toEqual(["ping at 30000", "dead at 60000"]);
  expect(clock.pending().timers).toBe(0);
});

test("an answer at the last moment is life", async () => {
  const { clock, heartbeat, events } = start();
  await clock.advance(59_999);
  heartbeat.alive();
  await clock.advance(1);
  expect(events).toEqual(["ping at 30000"]);
  await clock.advance(29_999);
  expect(events).toEqual(["ping at 30000", "ping at 89999"]);
});

test("while paused nothing is asked and nothing judged", async () => {
  const state = start();
  state.paused = true;
  await state.clock.advance(300_000);
  expect(state.events).toEqual([]);
  state.paused = false;
  state.heartbeat.alive();
  await state.clock.advance(59_999);
  expect(state.events).toEqual(["ping at 330000"]);
});

test("a pause between the question and its answer is no death", async () => {
  const state = start();
  await state.clock.advance(40_000);
  state.paused = true;
  await state.clock.advance(100_000);
  state.paused = false;
  state.heartbeat.alive();
  await state.clock.advance(29_000);
  expect(state.events).toEqual(["ping at 30000"]);
});

test("stop() leaves no timer", async () => {
  const { clock, heartbeat, events } = start();
  await clock.advance(30_000);
  heartbeat.stop();
  expect(clock.pending().timers).toBe(0);
  await clock.advance(300_000);
  expect(events).toEqual(["ping at 30000"]);
});

interface State {
  readonly clock: VirtualClock;
  readonly heartbeat: Heartbeat;
  readonly events: string[];
  paused: boolean;
}

function start(): State {
  const clock = new VirtualClock();
  const events: string[] = [];
  const heartbeat = startHeartbeat({
    clock,
    ping: () => events.push(`ping at ${clock.monotonic()}`),
    isPaused: () => state.paused,
    onDead: () => events.push(`dead at ${clock.monotonic()}`),
  });
  const state: State = { clock, heartbeat, events, paused: false };
  return state;
}
