import { realClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { connectRedis } from "./connection.ts";
import { startLedger, type Ledger } from "./ledger.ts";
import { playServer, type PlayedServer } from "../testing/played-server.ts";

const clock = realClock;
const soon = { interval: 5 };

function writeTo(
  port: () => number,
  options: { readonly wait?: { replicas: number; timeoutMs: number } } = {},
): Ledger {
  const route = () => Promise.resolve({ host: "127.0.0.1", port: port(), password: "secret" });
  return startLedger({ clock, name: "write", route, ...options });
}

async function lostOn({ port }: PlayedServer, { book }: Ledger): Promise<number> {
  using connection = await connectRedis({ host: "127.0.0.1", port }, { clock });
  return (await book.lostOn(connection)).length;
}

it("writes as fast as it is told, and finds what it wrote", async () => {
  await using server = await playServer();
  await using ledger = writeTo(() => server.port);
  await expect.poll(() => ledger.book.acknowledged, soon).toBeGreaterThan(2500);
  await ledger.stop();
  expect(ledger.book.servers).toMatchObject([{ runId: "first", count: ledger.book.acknowledged }]);
  expect(await lostOn(server, ledger)).toBe(0);
  expect(ledger.book.refusals).toEqual({});
});

it("tells what a server has acknowledged and lost", async () => {
  await using server = await playServer();
  await using ledger = writeTo(() => server.port);
  await expect.poll(() => ledger.book.acknowledged, soon).toBeGreaterThan(500);
  await ledger.stop();
  for (const number of [3, 7, 400]) server.keys.delete(ledger.book.keyOf(number));
  expect(await lostOn(server, ledger)).toBe(3);
});

it.each([
  ["says nothing", undefined],
  ["refuses writes", "-READONLY You can't write against a read only replica.\r\n"],
])("measures the time in which a server %s", async (_name, answer) => {
  await using server = await playServer();
  await using ledger = writeTo(() => server.port);
  await expect.poll(() => ledger.book.acknowledged, soon).toBeGreaterThan(500);
  server.answer = answer;
  const began = clock.monotonic();
  await expect.poll(() => clock.monotonic() - ledger.book.lastAt, soon).toBeGreaterThan(400);
  const ended = clock.monotonic();
  server.answer = "+OK\r\n";
  await expect.poll(() => ledger.book.lastAt > ended, soon).toBe(true);
  await ledger.stop();
  expect(ledger.book.longestGap(began)).toBeGreaterThan(ended - began - 20);
  expect(await lostOn(server, ledger)).toBe(0);
});

it("goes on with the next server, and tells what the last one acknowledges behind its back", async () => {
  await using first = await playServer();
  await using second = await playServer();
  second.runId = "second";
  let port = first.port;
  await using ledger = writeTo(() => port);
  // Connected to the first one for good, as a client that nobody has told.
  await using stubborn = writeTo(() => first.port);
  await expect
    .poll(() => Math.min(ledger.book.acknowledged, stubborn.book.acknowledged), soon)
    .toBeGreaterThan(100);
  port = second.port;
  first.cut();
  await expect.poll(() => ledger.book.servers.length, soon).toBe(2);
  const takenOver = ledger.book.servers[1]?.firstAt ?? NaN;
  const [page] = ledger.book.servers;
  expect(ledger.book.changeGaps()).toEqual([takenOver - (page?.lastAt ?? NaN)]);
  expect(ledger.book.changeGaps(takenOver)).toEqual([]);
  const before = stubborn.book.acknowledged;
  await expect.poll(() => stubborn.book.acknowledged - before, soon).toBeGreaterThan(100);
  await Promise.all([ledger.stop(), stubborn.stop()]);
  expect(ledger.book.acknowledgedWhenReplaced()).toBe(0);
  expect(stubborn.book.acknowledgedByOthers("second", takenOver)).toBeGreaterThan(50);
});

it("knows which writes replicas have, by what WAIT says", async () => {
  await using server = await playServer();
  server.replicas = 1;
  await using ledger = writeTo(() => server.port, { wait: { replicas: 1, timeoutMs: 100 } });
  await expect.poll(() => ledger.book.confirmed, soon).toBeGreaterThan(100);
  server.replicas = 0;
  const unconfirmed = (): number => ledger.book.acknowledged - ledger.book.confirmed;
  await expect.poll(unconfirmed, soon).toBeGreaterThan(300);
  await ledger.stop();
  server.keys.clear();
  using connection = await connectRedis({ host: "127.0.0.1", port: server.port }, { clock });
  const lost = await ledger.book.lostOn(connection);
  expect(lost.filter(({ isConfirmed }) => isConfirmed)).toHaveLength(ledger.book.confirmed);
  expect(lost).toHaveLength(ledger.book.acknowledged);
});
