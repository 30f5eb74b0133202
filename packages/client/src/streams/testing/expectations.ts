import { macrotask } from "@kedge/machinery";
import { expect } from "vitest";
import type { TestServer } from "./websocket-server.ts";

/** A timer, or a socket, that outlives its stream is a leak. */
export function expectNothingLeft(server: TestServer): void {
  expect(server.clock.pending().timers).toBe(0);
  expect(server.sockets.map((socket) => socket.destroyed)).toEqual(server.sockets.map(() => true));
}

/** Reads all, or so many, and then leaves. */
export async function take(source: AsyncIterable<Uint8Array>, count = Infinity): Promise<Uint8Array[]> {
  const taken: Uint8Array[] = [];
  for await (const each of source) {
    taken.push(each);
    if (taken.length === count) break;
  }
  return taken;
}

/** Waits until a number has stood still for many turns of the event loop: nothing moves any more. Gives the number. */
export async function stalled(measure: () => number): Promise<number> {
  let last = measure();
  for (let quiet = 0; quiet < 200; quiet++) {
    await macrotask();
    const now = measure();
    if (now === last) continue;
    last = now;
    quiet = 0;
  }
  return last;
}

/** Waits until something holds, one turn of the event loop at a time. The test's own time limit is the limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await macrotask();
}
