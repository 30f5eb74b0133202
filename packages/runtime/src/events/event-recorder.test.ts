import {
  badRequest,
  seededRandom,
  silentLogger,
  tooManyRequests,
  VirtualClock,
  type Logger,
} from "@kedge/machinery";
import type { Event } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { MemoryApi } from "../testing/memory-api.ts";
import { createEventRecorder } from "./create-event-recorder.ts";

function world(logger: Logger = silentLogger) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const stop = new AbortController();
  const recorder = createEventRecorder({
    client: api.client(),
    clock,
    random: seededRandom(1),
    component: "tester",
    logger,
    signal: stop.signal,
  });
  const events = () => api.store.list("/v1/events") as unknown as readonly Event[];
  return { clock, api, recorder, events, stop };
}

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "a", uid: "u-1" } };
const note = (message: string, reason = "Scaled") => ({ reason, message });

it("writes an event about its object", async () => {
  const { clock, recorder, events } = world();
  recorder.record(pod, { type: "Warning", reason: "Failed", message: "It broke", action: "Start" });
  await clock.runUntil(recorder.flush());
  expect(events()).toMatchObject([
    {
      metadata: { namespace: "a", name: expect.stringMatching(/^p\.[0-9a-f]+$/) as string },
      involvedObject: { apiVersion: "v1", kind: "Pod", name: "p", namespace: "a", uid: "u-1" },
      type: "Warning",
      reason: "Failed",
      message: "It broke",
      action: "Start",
      count: 1,
      source: { component: "tester" },
    },
  ]);
});

it("says who reports, where a note names somebody else", async () => {
  const { clock, recorder, events } = world();
  recorder.record(pod, note("same"));
  recorder.record(pod, { ...note("same"), reporter: "another" });
  await clock.runUntil(recorder.flush());
  expect(events()).toMatchObject([
    { count: 1, source: { component: "tester" }, reportingComponent: "tester" },
    { count: 1, source: { component: "another" }, reportingComponent: "another" },
  ]);
});

it("counts equal events instead of writing them again", async () => {
  const { clock, recorder, events } = world();
  for (let index = 0; index < 5; index++) {
    recorder.record(pod, note("same"));
    await clock.advance(1000);
  }
  expect(events()).toHaveLength(1);
  expect(events()[0]).toMatchObject({ count: 5 });
  expect(events()[0]?.lastTimestamp).not.toBe(events()[0]?.firstTimestamp);
});

it("begins a new one when the server has dropped the old one", async () => {
  const { clock, api, recorder, events } = world();
  recorder.record(pod, note("same"));
  await clock.runUntil(recorder.flush());
  for (const event of api.store.list("/v1/events")) api.store.remove("/v1/events", event);
  recorder.record(pod, note("same"));
  await clock.runUntil(recorder.flush());
  expect(events()).toMatchObject([{ count: 1 }]);
});

it("combines what differs only in the message, from the tenth on", async () => {
  const { clock, recorder, events } = world();
  for (let index = 0; index < 15; index++) recorder.record(pod, note(`number ${index}`));
  await clock.runUntil(recorder.flush());
  expect(events()).toHaveLength(10);
  expect(events().at(-1)).toMatchObject({ message: "(combined from similar events): number 14", count: 6 });
});

it("cuts floods: 25 for an object at once, then one in five minutes", async () => {
  const { clock, recorder, events } = world();
  for (let index = 0; index < 40; index++) recorder.record(pod, note("x", `Reason${index}`));
  await clock.runUntil(recorder.flush());
  expect(events()).toHaveLength(25);
  recorder.record({ ...pod, metadata: { ...pod.metadata, name: "other", uid: "u-2" } }, note("x"));
  await clock.runUntil(recorder.flush());
  expect(events()).toHaveLength(26);
  await clock.advance(300_000);
  recorder.record(pod, note("x", "Late"));
  recorder.record(pod, note("x", "Later"));
  await clock.runUntil(recorder.flush());
  expect(events()).toHaveLength(27);
});

const podNumber = (index: number) => ({
  ...pod,
  metadata: { name: `p${index}`, namespace: "a", uid: `u-${index}` },
});

it("writes a few at a time, those of one object in their order", async () => {
  const { clock, api, recorder, events } = world();
  let [now, most] = [0, 0];
  api.onRequest = async () => {
    most = Math.max(most, ++now);
    await clock.sleep(10);
    now--;
  };
  for (let index = 0; index < 100; index++) {
    recorder.record(podNumber(index), note("first"));
    recorder.record(podNumber(index), note("second"));
  }
  await clock.runUntil(recorder.flush());
  expect(events()).toHaveLength(200);
  expect(most).toBe(8);
  const ofOne = events().filter(({ involvedObject }) => involvedObject.name === "p7");
  expect(ofOne.map(({ message }) => message)).toEqual(["first", "second"]);
});

it("drops what is too much to wait, and says so", async () => {
  const dropped: string[] = [];
  const { clock, api, recorder, stop } = world({
    ...silentLogger,
    warn: (message) => dropped.push(message),
  });
  api.onRequest = () => clock.sleep(3_600_000, stop.signal);
  for (let index = 0; index < 10_050; index++) recorder.record(podNumber(index), note("x"));
  expect(dropped).toEqual(
    Array.from({ length: 50 }, () => "An event was dropped: too many wait to be written"),
  );
  stop.abort();
  await clock.runUntil(recorder.flush());
});

it("tries again while the server is busy, and gives up what it refuses", async () => {
  const { clock, api, recorder, events } = world();
  let refusals = 3;
  api.onRequest = () => {
    if (refusals-- > 0) throw tooManyRequests("busy", 0);
  };
  recorder.record(pod, note("x"));
  await clock.runUntil(recorder.flush());
  expect(events()).toHaveLength(1);
  let calls = 0;
  api.onRequest = () => {
    calls++;
    throw badRequest("never");
  };
  recorder.record(pod, note("y"));
  await clock.runUntil(recorder.flush());
  expect(calls).toBe(1);
});

it("ends with its signal, and never throws", async () => {
  const { clock, api, recorder, stop } = world();
  api.onRequest = () => {
    throw new Error("away");
  };
  recorder.record(pod, note("x"));
  const flushed = recorder.flush();
  await clock.settle();
  stop.abort();
  await clock.runUntil(flushed);
  expect(() => recorder.record(undefined as never, undefined as never)).not.toThrow();
  expect(clock.pending().timers).toBe(0);
});
