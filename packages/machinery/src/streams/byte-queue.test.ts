import { macrotask } from "../ambient.ts";
import { array, assert, asyncProperty, boolean, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteQueue } from "./byte-queue.ts";

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

describe("ByteQueue", () => {
  test("gives all chunks in order, whatever the turns of producer and reader, and stays near its limit", async () => {
    const chunk = uint8Array({ minLength: 1, maxLength: 40 });
    await assert(
      asyncProperty(array(chunk), array(boolean()), array(boolean()), async (chunks, pauses, naps) => {
        const queue = new ByteQueue(300);
        let waiting = 0;
        const produce = async (): Promise<void> => {
          for (const [turn, each] of chunks.entries()) {
            queue.push(each);
            waiting += each.length;
            expect(waiting).toBeLessThanOrEqual(300 + 40);
            if (naps[turn] === true) await macrotask();
            await queue.room();
          }
          queue.end();
        };
        const read: Uint8Array[] = [];
        const consume = async (): Promise<void> => {
          for await (const each of queue) {
            waiting -= each.length;
            read.push(each);
            if (pauses[read.length] === true) await macrotask();
          }
        };
        await Promise.all([produce(), consume()]);
        expect(read).toEqual(chunks);
      }),
      { numRuns: 50 },
    );
  });

  test("many tiny chunks fill it too", () => {
    const queue = new ByteQueue(1000);
    for (let count = 0; count < 20; count++) queue.push(bytes("x"));
    expect(queue.full).toBe(true);
  });

  test("room() waits for the reader", async () => {
    const queue = new ByteQueue(10);
    queue.push(bytes("0123456789"));
    let hasRoom = false;
    const room = queue.room().then(() => (hasRoom = true));
    await macrotask();
    expect(hasRoom).toBe(false);
    const reader = queue[Symbol.asyncIterator]();
    await reader.next();
    await room;
    expect(hasRoom).toBe(true);
  });

  test("a failure comes after the chunks that wait", async () => {
    const queue = new ByteQueue();
    queue.push(bytes("a"));
    queue.end(new Error("broken"));
    queue.push(bytes("too late"));
    const reader = queue[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: false, value: bytes("a") });
    await expect(reader.next()).rejects.toThrow("broken");
  });

  test("abort() does not give the chunks that wait, and frees the producer", async () => {
    const queue = new ByteQueue(1);
    queue.push(bytes("a"));
    const room = queue.room();
    queue.abort(new Error("aborted"));
    await room;
    await expect(take(queue)).rejects.toThrow("aborted");
  });

  test("abort() after the end still wins over what waits; the first failure is kept", async () => {
    const queue = new ByteQueue();
    queue.push(bytes("a"));
    queue.end();
    queue.abort(new Error("first"));
    queue.abort(new Error("second"));
    await expect(take(queue)).rejects.toThrow("first");
  });

  test.each([
    { name: "discard()", leave: async (queue: ByteQueue) => queue.discard() },
    { name: "leaving the iteration", leave: async (queue: ByteQueue) => void (await take(queue, 1)) },
  ])("after $name the producer is never held up, and a reader sees the end", async ({ leave }) => {
    const queue = new ByteQueue(1);
    queue.push(bytes("a"));
    const room = queue.room();
    await leave(queue);
    await room;
    queue.push(bytes("b"));
    expect(queue.full).toBe(false);
    expect(await take(queue)).toEqual([]);
  });

  test("a reader that waits is woken by a chunk, by the end and by discard()", async () => {
    const woken = new ByteQueue();
    const chunk = take(woken, 1);
    await macrotask();
    woken.push(bytes("a"));
    expect(await chunk).toEqual([bytes("a")]);
    const ended = new ByteQueue();
    const end = take(ended);
    await macrotask();
    ended.end();
    expect(await end).toEqual([]);
    const discarded = new ByteQueue();
    const none = take(discarded);
    await macrotask();
    discarded.discard();
    expect(await none).toEqual([]);
  });
});

async function take(source: AsyncIterable<Uint8Array>, count = Infinity): Promise<Uint8Array[]> {
  const taken: Uint8Array[] = [];
  for await (const each of source) {
    taken.push(each);
    if (taken.length === count) break;
  }
  return taken;
}
