import { createSocket, Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { decode, encode, type Packet } from "dns-packet";
import { macrotask, realClock, seededRandom, silentLogger, type Random } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ClusterNames } from "./cluster-names.ts";
import { startDnsServer, type DnsServer } from "./dns-server.ts";
import { lengthPrefixed, messagesOf } from "./tcp-messages.ts";
import { startUpstream, type Upstream } from "./testing/upstream.ts";

// KEDGE_TEST_SEED=<number> makes other messages; a failure prints the seed. An unhandled rejection fails the run.
const seed = Number(process.env["KEDGE_TEST_SEED"] ?? 20261116);
const web = { metadata: { namespace: "default", name: "web" }, spec: { clusterIP: "10.96.0.5" } };
const away = {
  metadata: { namespace: "default", name: "away" },
  spec: { type: "ExternalName", externalName: "example.com" },
};
let isComplete = true;
const names: ClusterNames = {
  service: (namespace, name) =>
    namespace === "default"
      ? ([web, away].find(({ metadata }) => metadata.name === name) as unknown as Service | undefined)
      : undefined,
  slices: () => [],
  serviceAt: () => undefined,
  slicesAt: () => [],
  isComplete: () => isComplete,
};
const question = (name: string, id = 7): Buffer =>
  encode({ type: "query", id, flags: 1 << 8, questions: [{ type: "A", name }] });
const ours = "web.default.svc.cluster.local";

/** The port that is free for datagrams may be somebody's for connections: then another one is tried. */
async function onFreePort(start: () => Promise<DnsServer>, tries = 20): Promise<DnsServer> {
  try {
    return await start();
  } catch (error) {
    if (tries === 0 || !(error instanceof Error) || !error.message.includes("EADDRINUSE")) throw error;
    return await onFreePort(start, tries - 1);
  }
}

let upstream: Upstream;
let dns: DnsServer;
/** All datagram sockets that listen, also the server's own. */
let bound: readonly DatagramSocket[];
beforeAll(async () => {
  upstream = await startUpstream();
  const bind = vi.spyOn(DatagramSocket.prototype, "bind");
  dns = await onFreePort(() =>
    startDnsServer({
      address: "127.0.0.1",
      port: 0,
      domain: "cluster.local",
      names,
      upstream: ["127.0.0.1"],
      upstreamPort: upstream.port,
      clock: realClock,
      random: seededRandom(1),
      logger: silentLogger,
    }),
  );
  bound = bind.mock.contexts.filter((made) => made instanceof DatagramSocket);
});
afterAll(async () => {
  await dns.close();
  await upstream.close();
});

describe("by datagram", () => {
  it("a question from port 0, where nobody can be answered, is not answered", async () => {
    const server = bound.find((socket) => isAt(socket, dns.port));
    const from = { address: "127.0.0.1", port: 0, family: "IPv4", size: 0 };
    expect(server?.emit("message", question(ours), from)).toBe(true);
    expect(textOf(await ask(question(ours)))).toBe("7 NOERROR 10.96.0.5");
  });

  it("a name of the cluster, a name of the world, and no answer to an answer", async () => {
    expect(textOf(await ask(question(ours)))).toBe("7 NOERROR 10.96.0.5");
    expect(textOf(await ask(question("example.com")))).toBe("7 NOERROR 192.0.2.1");
    const answer = Buffer.from(question(ours));
    answer.writeUInt16BE(0x8000, 2);
    expect(textOf(await askBoth(answer, question(ours, 8)))).toBe("8 NOERROR 10.96.0.5");
  });

  it("no name of the cluster is said to be missing before all have been read", async () => {
    isComplete = false;
    const missing = question("nowhere.default.svc.cluster.local");
    expect(textOf(await ask(missing))).toBe("7 SERVFAIL");
    expect(textOf(await ask(question("example.com")))).toBe("7 NOERROR 192.0.2.1");
    isComplete = true;
    expect(textOf(await ask(missing))).toBe("7 NXDOMAIN");
  });

  it.each([
    ["two questions", (query: Buffer) => query.writeUInt16BE(2, 4), "7 FORMERR"],
    ["records of its own", (query: Buffer) => query.writeUInt16BE(1, 6), "7 FORMERR"],
    ["a pointer that points to itself", (query: Buffer) => query.writeUInt16BE(0xc00c, 12), "7 FORMERR"],
    ["a label that never ends", (query: Buffer) => query.writeUInt8(63, 12), "7 FORMERR"],
    ["another operation", (query: Buffer) => query.writeUInt16BE(5 << 11, 2), "7 NOTIMP"],
  ])("%s is refused", async (_title, damage, refused) => {
    const query = question(ours);
    damage(query);
    expect(textOf(await ask(query))).toBe(refused);
  });

  it("an alias comes with what other servers know of it, and alone when they are silent", async () => {
    const alias = question("away.default.svc.cluster.local");
    expect(textOf(await ask(alias))).toBe("7 NOERROR example.com 192.0.2.1");
    upstream.mode = "silent";
    expect(textOf(await ask(alias))).toBe("7 NOERROR example.com");
    upstream.mode = "answer";
  });

  it("answers of strangers are not taken for the other server's", async () => {
    upstream.mode = "liar first";
    expect(textOf(await ask(question("example.com")))).toBe("7 NOERROR 192.0.2.1");
    upstream.mode = "answer";
  });

  it("questions that the world does not answer are bounded; the cluster's are answered all the time", async () => {
    upstream.mode = "silent";
    const socket = createSocket("udp4");
    const before = openFiles();
    for (let sent = 0; sent < 2000; sent += 1) {
      socket.send(question(`x${sent}.example.com`), dns.port, "127.0.0.1");
      if (sent % 20 === 0) await macrotask();
    }
    expect(openFiles() - before).toBeLessThan(100);
    expect(textOf(await ask(question(ours)))).toBe("7 NOERROR 10.96.0.5");
    socket.close();
    upstream.mode = "answer";
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
  });
});

describe("by connection", () => {
  it("questions come in any pieces, and one connection asks many", async () => {
    const socket = await connected();
    const both = Buffer.concat([lengthPrefixed(question(ours)), lengthPrefixed(question("example.com", 9))]);
    for (const byte of both) socket.write(Buffer.of(byte));
    const seen: string[] = [];
    for await (const message of messagesOf(socket)) {
      seen.push(textOf(message));
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(["7 NOERROR 10.96.0.5", "9 NOERROR 192.0.2.1"]);
    socket.destroy();
  });

  it("who asks for ever and reads nothing is held back, and cut off", async () => {
    const socket = await connected();
    socket.pause();
    const piece = Buffer.concat(Array.from({ length: 500 }, () => lengthPrefixed(question(ours))));
    // More than the kernel's buffers on both ways hold.
    let left = 100 * 1024 * 1024;
    while (left > 0 && !socket.destroyed) {
      if (!socket.write(piece)) await drainedOrClosed(socket);
      left -= piece.length;
    }
    expect(left).toBeGreaterThan(0);
    expect(textOf(await ask(question(ours)))).toBe("7 NOERROR 10.96.0.5");
    socket.destroy();
  });

  it("one client has only some of the connections", async () => {
    const sockets = await Promise.all(Array.from({ length: 40 }, connected));
    await expect.poll(() => sockets.filter((socket) => socket.closed).length).toBe(8);
    for (const socket of sockets) socket.destroy();
  });
});

it(`nonsense of all kinds, seed ${seed}: it goes on answering, and nothing stays open`, async () => {
  const random = seededRandom(seed);
  const before = openFiles();
  const socket = createSocket("udp4");
  for (let sent = 0; sent < 5000; sent += 1) {
    const message = nonsense(random);
    if (message.length > 0) socket.send(message, dns.port, "127.0.0.1");
    if (sent % 50 === 0) await macrotask();
  }
  for (let opened = 0; opened < 100; opened += 1) {
    const connection = await connected();
    for (let more = random.int(4); more > 0; more -= 1) {
      const framed = lengthPrefixed(nonsense(random));
      connection.write(framed.subarray(0, random.int(framed.length + 1)));
    }
    if (random.int(2) === 0) connection.resetAndDestroy();
    else connection.destroySoon();
  }
  socket.close();
  expect(textOf(await ask(question(ours)))).toBe("7 NOERROR 10.96.0.5");
  // Those that nobody answered hold our places for a while.
  const world = async (): Promise<string> => textOf(await ask(question("example.com")));
  await expect.poll(world).toBe("7 NOERROR 192.0.2.1");
  await expect.poll(openFiles).toBeLessThanOrEqual(before);
});

/** A valid query with a few bytes changed, cut or added; or none at all. */
function nonsense(random: Random): Buffer {
  const base = question(random.int(2) === 0 ? ours : `${random.int(99)}.example.com`, random.int(65_536));
  switch (random.int(4)) {
    case 0:
      return Buffer.from(Array.from({ length: random.int(600) }, () => random.int(256)));
    case 1:
      return base.subarray(0, random.int(base.length + 1));
    case 2:
      return Buffer.concat([
        base,
        Buffer.from(Array.from({ length: random.int(200) }, () => random.int(256))),
      ]);
    default:
      for (let changes = 1 + random.int(4); changes > 0; changes -= 1) {
        const pointer = random.int(8) === 0 ? 0xc0 : random.int(256);
        base[random.int(base.length)] = pointer;
      }
      return base;
  }
}

async function ask(message: Buffer): Promise<Buffer> {
  return await askBoth(message);
}

/** Sends all, and gives the first answer. Asks again, as programs do: datagrams may be lost on a busy machine. */
async function askBoth(...messages: readonly Buffer[]): Promise<Buffer> {
  const socket = createSocket("udp4");
  const stop = new AbortController();
  const again = async (): Promise<void> => {
    for (;;) {
      for (const message of messages) socket.send(message, dns.port, "127.0.0.1");
      await realClock.sleep(3000, stop.signal);
    }
  };
  const asking = again().catch(() => undefined);
  try {
    const [answer] = (await once(socket, "message")) as [Buffer];
    return answer;
  } finally {
    stop.abort();
    await asking;
    socket.close();
  }
}

async function connected(): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: dns.port });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

async function drainedOrClosed(socket: Socket): Promise<void> {
  const stop = new AbortController();
  const happens = (event: string): Promise<unknown> =>
    once(socket, event, { signal: stop.signal }).catch(() => undefined);
  await Promise.race([happens("drain"), happens("close")]);
  stop.abort();
}

function textOf(message: Buffer): string {
  const packet: Packet & { readonly rcode?: string } = decode(message);
  const addresses = (packet.answers ?? []).flatMap((answer) =>
    answer.type === "A" || answer.type === "CNAME" ? [answer.data] : [],
  );
  return [packet.id, packet.rcode, ...addresses].join(" ");
}

function isAt(socket: DatagramSocket, port: number): boolean {
  try {
    return socket.address().port === port;
  } catch {
    return false; // It is closed.
  }
}

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}
