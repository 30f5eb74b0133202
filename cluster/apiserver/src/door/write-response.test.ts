import { EventEmitter } from "node:events";
import { VirtualClock, type ApiResponse } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { bytesResponse } from "../response/responses.ts";
import { writeResponse } from "./write-response.ts";

describe("an answer", () => {
  it("is given up when its client does not read it for a minute, and its source is told", async () => {
    const clock = new VirtualClock();
    const outgoing = new Unread();
    const { response, state } = endless();
    const written = writeResponse(outgoing, response, { signal: new AbortController().signal, clock });
    await clock.advance(59_999);
    expect([outgoing.destroyed, outgoing.chunks, state.isOpen]).toEqual([false, 1, true]);
    await clock.advance(1);
    await written;
    expect([outgoing.destroyed, outgoing.chunks, state.isOpen]).toEqual([true, 1, false]);
  });

  it("goes on as long as its client reads, however slowly", async () => {
    const clock = new VirtualClock();
    const outgoing = new Unread();
    const ending = new AbortController();
    const { response, state } = endless();
    const written = writeResponse(outgoing, response, { signal: ending.signal, clock });
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance(50_000);
      outgoing.emit("drain");
    }
    await clock.settle();
    expect([outgoing.destroyed, outgoing.chunks]).toEqual([false, 11]);
    ending.abort();
    await written;
    expect(state.isOpen).toBe(false);
  });

  it("sends its head at once when its body is yet to come", async () => {
    const clock = new VirtualClock();
    const outgoing = new Unread();
    const { response } = endless();
    const ending = new AbortController();
    const written = writeResponse(outgoing, response, { signal: ending.signal, clock });
    expect(outgoing.isFlushed).toBe(true);
    ending.abort();
    await written;
  });
});

it("goes out in one piece when it is there as a whole", async () => {
  const clock = new VirtualClock();
  const outgoing = new Unread();
  const { signal } = new AbortController();
  await writeResponse(outgoing, bytesResponse(200, "all of it", {}), { signal, clock });
  expect([outgoing.chunks, String(outgoing.ended), outgoing.isFlushed]).toEqual([0, "all of it", false]);
});

/** A client that reads nothing. */
class Unread extends EventEmitter {
  writableEnded = false;
  destroyed = false;
  isFlushed = false;
  chunks = 0;
  ended: Buffer | undefined;

  writeHead(): void {
    // Nobody looks at it.
  }

  flushHeaders(): void {
    this.isFlushed = true;
  }

  write(): boolean {
    this.chunks++;
    return false;
  }

  end(chunk?: Uint8Array): void {
    this.writableEnded = true;
    this.ended = Buffer.from(chunk ?? []);
  }

  destroy(): void {
    this.destroyed = true;
  }
}

function endless(): { readonly response: ApiResponse; readonly state: { isOpen: boolean } } {
  const state = { isOpen: true };
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield new Uint8Array(10);
    } finally {
      state.isOpen = false;
    }
  }
  return { response: { status: 200, headers: {}, body: body() }, state };
}
