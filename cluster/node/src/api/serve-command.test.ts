import { Writable } from "node:stream";
import { macrotask, type ServedStream } from "@kedge/machinery";
import { channel } from "@kedge/machinery/streams";
import { describe, expect, it } from "vitest";
import { serveCommand, type ServedCommand, type StartCommand } from "./serve-command.ts";

describe("a command", () => {
  it("is given its input no faster than it reads", async () => {
    let [sent, taken] = [0, 0];
    const room = Promise.withResolvers<void>();
    const exit = Promise.withResolvers<{ exitCode: number }>();
    const stdin = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        taken++;
        room.promise.then(() => done(), done);
      },
    });
    async function* input(): AsyncGenerator<Uint8Array> {
      for (; sent < 100; sent++) yield Buffer.from([channel.stdin, 1]);
      exit.resolve({ exitCode: 0 });
    }
    const served = serveCommand(
      streamOf(input()),
      startOf(() => Promise.resolve(commandOf({ stdin, ...exit }))),
    );
    for (let turn = 0; turn < 20; turn++) await macrotask();
    expect({ sent, taken }).toEqual({ sent: 0, taken: 1 });
    room.resolve();
    await served;
    expect({ sent, taken }).toEqual({ sent: 100, taken: 100 });
  });

  it.each([
    ["while it runs", false],
    ["while it is started", true],
  ])("is ended when its client goes %s", async (_when, isBefore) => {
    const started = Promise.withResolvers<void>();
    const ready = Promise.withResolvers<void>();
    const exit = Promise.withResolvers<{ exitCode: number }>();
    const stream = streamOf(silent(exit.promise));
    const start = startOf(async () => {
      started.resolve();
      await ready.promise;
      return commandOf({ ...exit, cancel: () => exit.resolve({ exitCode: 137 }) });
    });
    const served = serveCommand(stream, start);
    await started.promise;
    if (isBefore) stream.leave();
    ready.resolve();
    await macrotask();
    if (!isBefore) stream.leave();
    await served;
    expect(stream.sent).toEqual([]);
  });

  it("that cannot be run is told of once, in the kubelet's words", async () => {
    const stream = streamOf(silent(Promise.resolve()));
    await serveCommand(
      stream,
      startOf(() => Promise.reject(new Error("exec failed: no such program"))),
    );
    const [status = ""] = stream.sent;
    expect(stream.sent).toHaveLength(1);
    expect(status[0]).toBe(String.fromCodePoint(channel.status));
    const message = "error executing command in container: exec failed: no such program";
    expect(JSON.parse(status.slice(1))).toEqual({
      metadata: {},
      status: "Failure",
      message: `Internal error occurred: ${message}`,
      reason: "InternalError",
      details: { causes: [{ message }] },
      code: 500,
    });
  });
});

function startOf(start: StartCommand["start"]): StartCommand {
  return { start, failure: "error executing command in container" };
}

function commandOf({
  promise,
  ...rest
}: Partial<ServedCommand> & { readonly promise: ServedCommand["exit"] }): ServedCommand {
  return {
    stdin: undefined,
    stdout: undefined,
    stderr: undefined,
    exit: promise,
    resize: () => Promise.resolve(),
    cancel: () => undefined,
    ...rest,
  };
}

function streamOf(
  messages: AsyncIterable<Uint8Array>,
): ServedStream & { leave(): void; readonly sent: readonly string[] } {
  const gone = new AbortController();
  const sent: string[] = [];
  return {
    protocol: "v5.channel.k8s.io",
    messages,
    gone: gone.signal,
    sent,
    send: (message) => {
      sent.push(Buffer.from(message).toString());
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
    leave: () => gone.abort(),
  };
}

/** Says nothing until it is over. */
async function* silent(over: Promise<unknown>): AsyncGenerator<Uint8Array> {
  await over;
  yield* [];
}
