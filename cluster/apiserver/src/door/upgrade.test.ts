import { once } from "node:events";
import { realClock, realRandom, type MessageStream } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import type { PodConnects } from "../node-proxy/index.ts";
import type { ConnectSubresource } from "../registry/types.ts";
import { startServer } from "../testing/start-server.ts";
import { listen } from "./listen.ts";

const options = { clock: realClock, random: realRandom };

it("joins a WebSocket with the stream that a subresource opens, both ways, until one side ends", async () => {
  const closed = Promise.withResolvers<void>();
  await using place = await openDoor(() => echo(closed.resolve));
  const socket = place.connect();
  await once(socket, "open");
  expect(socket.protocol).toBe("v5.channel.k8s.io");
  for (const text of ["one", "two"]) {
    const answer = once(socket, "message") as Promise<[Buffer]>;
    socket.send(Buffer.from(text));
    const [data] = await answer;
    expect(data.toString()).toBe(`echo ${text}`);
  }
  socket.close();
  await closed.promise;
  expect(socket.readyState).toBeGreaterThanOrEqual(WebSocket.CLOSING);
});

it.each([
  ["v5.channel.k8s.io", true],
  ["base64.channel.k8s.io", false],
])("sends in %s bytes: %s; else text", async (protocol, binary) => {
  await using place = await openDoor(() => ({ ...echo(() => undefined), protocol }));
  const socket = place.connect(protocol);
  await once(socket, "open");
  const answer = once(socket, "message") as Promise<[Buffer, boolean]>;
  socket.send("1");
  const [data, isBinary] = await answer;
  expect({ protocol: socket.protocol, text: data.toString(), isBinary }).toEqual({
    protocol,
    text: "echo 1",
    isBinary: binary,
  });
});

it("closes the WebSocket when the stream has ended", async () => {
  await using place = await openDoor(() => ({
    ...echo(() => undefined),
    messages: (async function* ended() {
      yield Buffer.from("bye");
    })(),
  }));
  const socket = place.connect();
  const [[data], [code]] = (await Promise.all([once(socket, "message"), once(socket, "close")])) as [
    [Buffer],
    [number],
  ];
  expect({ text: data.toString(), code }).toEqual({ text: "bye", code: 1000 });
});

it("closes a stream whose client has gone while it was opened", async () => {
  const closed = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using place = await openDoor(async (gone) => {
    asked.resolve();
    await once(gone, "abort");
    return echo(closed.resolve);
  });
  const socket = place.connect();
  socket.on("error", () => undefined);
  await asked.promise;
  socket.terminate();
  await expect(closed.promise).resolves.toBeUndefined();
});

async function openDoor(open: (gone: AbortSignal) => MessageStream | Promise<MessageStream>) {
  const exec: ConnectSubresource = {
    type: "connect",
    verbs: ["get", "create"],
    optionsKind: "PodExecOptions",
    upgrade: async (_target, { signal }) => await open(signal ?? new AbortController().signal),
  };
  const connects: PodConnects = { exec, attach: exec, portforward: exec, log: exec };
  const server = await startServer({ clock: realClock, podConnects: connects });
  const namespace = "/api/v1/namespaces/default";
  await server.ask("POST", `${namespace}/serviceaccounts`, { metadata: { name: "default" } });
  const containers = [{ name: "c", image: "c:1" }];
  await server.ask("POST", `${namespace}/pods`, { metadata: { name: "a" }, spec: { containers } });
  const ca = await createAuthority({ name: "kedge-ca", ...options });
  const serving = await ca.issueServing({ name: "api", hosts: ["127.0.0.1"] });
  const user = await ca.issueClient({ user: "jane", groups: ["system:masters"] });
  const place = { host: "127.0.0.1", port: 0, serving, clientAuthority: ca.certificate };
  const door = await listen(server.api, { ...place, clock: realClock });
  return {
    connect: (protocol = "v5.channel.k8s.io") =>
      new WebSocket(`wss://127.0.0.1:${door.port}${namespace}/pods/a/exec?command=x`, [protocol], {
        ca: ca.certificate,
        cert: user.certificate,
        key: user.key,
      }),
    [Symbol.asyncDispose]: async () => {
      await door.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** A stream that answers every message. */
function echo(closed: () => void): MessageStream {
  const waiting: Uint8Array[] = [];
  let wake = Promise.withResolvers<void>();
  const state = { ended: false };
  return {
    protocol: "v5.channel.k8s.io",
    messages: (async function* answers() {
      while (!state.ended) {
        const next = waiting.shift();
        if (next === undefined) await wake.promise;
        else yield Buffer.concat([Buffer.from("echo "), next]);
      }
    })(),
    send: (message) => {
      waiting.push(message);
      wake.resolve();
      wake = Promise.withResolvers();
      return Promise.resolve();
    },
    close: () => {
      state.ended = true;
      wake.resolve();
      closed();
      return Promise.resolve();
    },
  };
}
