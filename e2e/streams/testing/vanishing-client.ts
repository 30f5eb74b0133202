import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { realClock as clock, type Random } from "@kedge/machinery";
import { clientFrame, frames } from "./frames.ts";
import { spdy } from "./spdy-frames.ts";
import type { StreamTarget } from "./stream-cluster.ts";

/** How far a client comes before it goes. */
export const steps = [
  "connect",
  "half of the handshake",
  "no certificate",
  "half of the headers",
  "a broken handshake",
  "the request",
  "a moment after the request",
  "the upgrade",
  "half of a frame",
  "a broken frame",
  "some output",
  "a full stdin",
  "many pings",
  "many sizes",
  "no reading",
  "half of a close",
] as const;

/** How it goes: in order, at once, or only by half, until the server goes. */
export const ways = ["end", "destroy", "reset", "half"] as const;

/** One client's life. */
export interface Visit {
  readonly target: StreamTarget;
  readonly path: string;
  /** Undefined: a plain request, no WebSocket. */
  readonly protocol: string | undefined;
  /** What the connection becomes. Default: a WebSocket. */
  readonly wire?: "websocket" | "spdy";
  /** With SPDY: the headers of the streams that it opens. The first one is written to. */
  readonly streams?: readonly Readonly<Record<string, string>>[];
  readonly step: (typeof steps)[number];
  readonly way: (typeof ways)[number];
}

/** So long a client stays that goes only by half. */
const half = 200;

/** Comes, does as it should, and goes without a word. Whatever the server answers is right. */
export async function visit(life: Visit, random: Random): Promise<void> {
  const { target, step, way } = life;
  const raw = connectTcp({ host: "127.0.0.1", port: target.port });
  raw.on("error", () => undefined);
  await once(raw, "connect");
  if (step === "connect") return await leave(raw, raw, way);
  if (step === "half of the handshake") {
    raw.write(Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3, ...bytes(random, random.int(60))]));
    return await leave(raw, raw, way);
  }
  const { ca, cert, key } = target;
  const identity = step === "no certificate" ? {} : { cert, key };
  const socket = connectTls({ socket: raw, host: "127.0.0.1", ca, ...identity, ALPNProtocols: ["http/1.1"] });
  socket.on("error", () => undefined);
  await first(socket, ["secureConnect", "close"]);
  await act(socket, life, random);
  await leave(socket, raw, way);
}

async function act(socket: TLSSocket, life: Visit, random: Random): Promise<void> {
  const { protocol, step } = life;
  const head = headOf(life, random);
  if (step === "half of the headers") {
    socket.write(head.slice(0, 1 + random.int(head.length - 4)));
    return await pause(random);
  }
  if (step === "a broken handshake") {
    socket.write(head.replace(/(?:Sec-WebSocket-(?:Key|Version)|X-Stream-Protocol-Version).*\r\n/u, ""));
    return await pause(random);
  }
  socket.write(head);
  if (step === "the request") return;
  if (step === "a moment after the request") return await pause(random);
  if (step === "no reading") {
    socket.pause();
    return await clock.sleep(random.int(100));
  }
  await first(socket, ["data", "close"]);
  if (protocol === undefined) return;
  if (life.wire === "spdy") return await actInSpdy(socket, life, random);
  switch (step) {
    case "half of a frame": {
      const frame = clientFrame(frames.binary, Buffer.concat([Buffer.of(0), bytes(random, 500)]));
      socket.write(frame.subarray(0, 1 + random.int(frame.length - 1)));
      return;
    }
    case "a broken frame":
      socket.write(bytes(random, 1 + random.int(300)));
      return;
    case "some output":
      for (let more = random.int(20); more > 0 && !socket.destroyed; more -= 1) {
        await first(socket, ["data", "close"], 20);
      }
      return;
    case "a full stdin":
      return await flood(socket, clientFrame(frames.binary, Buffer.alloc(60_000)));
    case "many pings":
      socket.pause();
      return await flood(socket, clientFrame(frames.ping, Buffer.alloc(100)));
    case "many sizes": {
      const size = Buffer.from('\u0004{"Width":80,"Height":24}');
      return await flood(socket, clientFrame(frames.binary, size));
    }
    case "half of a close":
      socket.write(clientFrame(frames.close, Buffer.of(3, 232)));
      return;
    default:
  }
}

async function actInSpdy(socket: TLSSocket, { step, streams = [] }: Visit, random: Random): Promise<void> {
  if (step === "a broken frame") return void socket.write(bytes(random, 1 + random.int(300)));
  const opening = Buffer.concat(streams.map((headers, index) => spdy.open(2 * index + 1, headers)));
  if (step === "half of a frame") {
    return void socket.write(opening.subarray(0, 1 + random.int(opening.length - 1)));
  }
  if (step === "the upgrade") return;
  socket.write(opening);
  switch (step) {
    case "some output":
      for (let more = random.int(20); more > 0 && !socket.destroyed; more -= 1) {
        await first(socket, ["data", "close"], 20);
      }
      return;
    case "a full stdin":
      return await flood(socket, spdy.data(1, Buffer.alloc(60_000)));
    case "many pings":
      socket.pause();
      return await flood(socket, spdy.ping(1));
    case "many sizes": {
      // As many streams that come and go at once, whose answers nobody reads.
      socket.pause();
      let stream = 2 * streams.length + 1;
      const comingAndGoing = Array.from({ length: 1000 }, () => {
        stream += 2;
        return Buffer.concat([spdy.open(stream, { streamtype: "other" }), spdy.reset(stream)]);
      });
      return await flood(socket, Buffer.concat(comingAndGoing));
    }
    case "half of a close":
      socket.write(Buffer.concat([spdy.end(1), spdy.leave()]));
      return;
    default:
  }
}

/** Writes until it is not taken any more, or it has been much. */
async function flood(socket: TLSSocket, frame: Buffer): Promise<void> {
  const piece = Buffer.concat(Array.from({ length: Math.ceil(64_000 / frame.length) }, () => frame));
  for (let written = 0; written < 8_000_000 && !socket.destroyed; written += piece.length) {
    if (socket.write(piece)) continue;
    if ((await first(socket, ["drain", "close"], 100)) !== "drain") return;
  }
}

async function leave(socket: Socket, raw: Socket, way: Visit["way"]): Promise<void> {
  if (raw.destroyed) return;
  if (way === "reset") raw.resetAndDestroy();
  else if (way === "destroy") raw.destroy();
  else {
    socket.end();
    // Reading goes on, as in `curl | head`: the server should end it.
    if (way === "half") await first(raw, ["close"], half);
    raw.destroy();
  }
  if (!raw.closed) await first(raw, ["close"]);
}

/** Waits for the first of some events, but not longer than it should. */
async function first(socket: Socket, events: readonly string[], ms?: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const listeners = events.map((event) => [event, (): void => resolve(event)] as const);
  for (const [event, listener] of listeners) socket.on(event, listener);
  const timer = ms === undefined ? undefined : clock.timer(ms, () => resolve("late"));
  if (socket.destroyed) resolve("close");
  const happened = await promise;
  timer?.cancel();
  for (const [event, listener] of listeners) socket.off(event, listener);
  return happened;
}

function headOf({ path, protocol, wire }: Visit, random: Random): string {
  const method = wire === "spdy" ? "POST" : "GET";
  const lines = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", "Accept: */*"];
  if (protocol !== undefined && wire === "spdy") {
    lines.push("Connection: Upgrade", "Upgrade: SPDY/3.1", `X-Stream-Protocol-Version: ${protocol}`);
    lines.push("Content-Length: 0");
  } else if (protocol !== undefined) {
    const key = bytes(random, 16).toString("base64");
    lines.push("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13");
    lines.push(`Sec-WebSocket-Key: ${key}`, `Sec-WebSocket-Protocol: ${protocol}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

async function pause(random: Random): Promise<void> {
  await clock.sleep(random.int(30));
}

function bytes(random: Random, count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => random.int(256)));
}
