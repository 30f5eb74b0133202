import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { Bell } from "./bell.ts";

it("wakes who waits, and is heard by the next when nobody does", async () => {
  const bell = new Bell();
  const { signal } = new AbortController();
  const waiting = bell.wait(signal);
  bell.ring();
  await expect(waiting).resolves.toBeUndefined();
  bell.ring();
  await expect(bell.wait(signal)).resolves.toBeUndefined();
});

it("wakes who waits when the signal aborts", async () => {
  const stopping = new AbortController();
  const waiting = new Bell().wait(stopping.signal);
  stopping.abort();
  await expect(waiting).resolves.toBeUndefined();
});

it("leaves nothing on the signal: it is rung for every pod", async () => {
  const bell = new Bell();
  const { signal } = new AbortController();
  for (let time = 0; time < 3; time++) {
    const waiting = bell.wait(signal);
    bell.ring();
    await waiting;
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
