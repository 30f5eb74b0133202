import { describe, expect, it } from "vitest";
import { macrotask } from "../ambient.ts";
import { joinStreams, type OuterStream } from "./join-streams.ts";

const many = 1000;

describe("a client's stream and the one behind it", () => {
  it("are read no faster than the other takes what comes, both ways", async () => {
    const room = Promise.withResolvers<void>();
    const read = { client: 0, inner: 0 };
    const client = streamOf({ messages: counted(() => read.client++), send: () => room.promise });
    const inner = streamOf({ messages: counted(() => read.inner++), send: () => room.promise });
    const joined = joinStreams(client, inner);
    for (let turn = 0; turn < 20; turn++) await macrotask();
    expect(read).toEqual({ client: 1, inner: 1 });
    room.resolve();
    await joined;
    expect(Math.max(read.client, read.inner)).toBe(many);
  });

  it("end when the client goes, though nobody reads from it: the other side is full", async () => {
    const left = Promise.withResolvers<void>();
    const broken = Promise.withResolvers<void>();
    const client = streamOf({ messages: counted(() => undefined) });
    const inner = streamOf({
      messages: silent(left.promise),
      send: () => broken.promise,
      close: left.resolve,
    });
    const joined = joinStreams(client, inner);
    await macrotask();
    client.leave();
    await expect(left.promise).resolves.toBeUndefined();
    broken.reject(new Error("the stream has been closed"));
    await joined;
  });

  it("end when the client has gone before they were joined", async () => {
    const left = Promise.withResolvers<void>();
    const client = streamOf({ messages: silent(new Promise(() => undefined)) });
    client.leave();
    await joinStreams(client, streamOf({ messages: silent(left.promise), close: left.resolve }));
    await expect(left.promise).resolves.toBeUndefined();
  });
});

interface Parts {
  readonly messages: AsyncIterable<Uint8Array>;
  readonly send?: () => Promise<void>;
  readonly close?: () => void;
}

/** A stream of either side. */
function streamOf({ messages, send, close }: Parts): OuterStream & { leave(): void } {
  const gone = new AbortController();
  const closed = (): Promise<void> => {
    close?.();
    return Promise.resolve();
  };
  return {
    protocol: "v5.channel.k8s.io",
    messages,
    gone: gone.signal,
    send: send ?? (() => Promise.resolve()),
    close: closed,
    closeWith: closed,
    leave: () => gone.abort(),
  };
}

async function* counted(read: () => void): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < many; number++) {
    read();
    yield Buffer.from("x");
  }
}

/** Says nothing until it is closed. */
async function* silent(closed: Promise<void>): AsyncGenerator<Uint8Array> {
  await closed;
  yield* [];
}
