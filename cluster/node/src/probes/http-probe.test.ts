import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { realClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { containerNamed } from "../testing/pods.ts";
import { httpProbe } from "./http-probe.ts";
import type { ProbeResult } from "./types.ts";

type Behaviour = (socket: Socket, path: string) => void;

const says =
  (...lines: readonly string[]): Behaviour =>
  (socket) =>
    socket.write(lines.map((line) => `${line}\r\n`).join(""));

/** Writes as fast as it is read, until the other side goes. */
const forEver =
  (head: string, piece: string): Behaviour =>
  (socket) => {
    const go = (): void => {
      while (!socket.destroyed && socket.write(piece.repeat(100)));
    };
    socket.write(head);
    socket.on("drain", go);
    go();
  };

it.each<[string, Behaviour, "success" | "failure", RegExp]>([
  [
    "switches protocols",
    says("HTTP/1.1 101 Go", "Connection: upgrade", "Upgrade: x", ""),
    "failure",
    /statuscode: 101/u,
  ],
  ["switches to nothing", says("HTTP/1.1 101 Go", ""), "failure", /statuscode: 101/u],
  ["says 100 for ever", forEver("", "HTTP/1.1 100 Continue\r\n\r\n"), "failure", /too many 1xx/u],
  ["sends headers for ever", forEver("HTTP/1.1 200 OK\r\n", "x: y\r\n"), "failure", /Header overflow/u],
  ["sends a status for ever", forEver("HTTP/1.1 200 ", "O"), "failure", /Header overflow/u],
  ["sends a body for ever", forEver("HTTP/1.1 200 OK\r\n\r\n", "body"), "success", /^$/u],
  ["sends a refusal for ever", forEver("HTTP/1.1 500 No\r\n\r\n", "body"), "failure", /statuscode: 500/u],
  ["sends it round in circles", says("HTTP/1.1 302 Go", "Location: /again", ""), "failure", /10 redirects/u],
  ["sends it elsewhere", says("HTTP/1.1 302 Go", "Location: http://other/", ""), "success", /^$/u],
  ["sends it nowhere", says("HTTP/1.1 302 Go", "Location: http://[", ""), "success", /^$/u],
  ["sends it to a file", says("HTTP/1.1 302 Go", "Location: file:///etc/passwd", ""), "success", /^$/u],
  ["talks nonsense", says("\0\u0001\u0002 nonsense", ""), "failure", /Parse Error/u],
  ["says nothing", () => undefined, "failure", /deadline exceeded/u],
  ["says half of it", says("HTTP/1.1 200 OK", "Content-Type: text/plain"), "failure", /deadline exceeded/u],
  ["hangs up", (socket) => socket.end(), "failure", /socket hang up/u],
  ["resets", (socket) => socket.resetAndDestroy(), "failure", /ECONNRESET|hang up/u],
  [
    "hangs up after half of it",
    (socket) => socket.end("HTTP/1.1 200 OK\r\nx"),
    "failure",
    /Parse Error|aborted|hang up/u,
  ],
])("who %s gets a verdict", async (_title, behaviour, outcome, output) => {
  const result = await probe(behaviour, output.source.includes("deadline") ? 200 : 20_000);
  expect(result.outcome).toBe(outcome);
  expect(result.output).toMatch(output);
});

it("a redirect on the same host is followed to its end", async () => {
  const result = await probe((socket, path) => {
    const lines = path === "/" ? ["HTTP/1.1 307 Go", "Location: there"] : ["HTTP/1.1 503 Not yet"];
    socket.end(`${lines.join("\r\n")}\r\n\r\n`);
  });
  expect(result).toEqual({ outcome: "failure", output: "HTTP probe failed with statuscode: 503" });
});

async function probe(behaviour: Behaviour, timeoutMs = 20_000): Promise<ProbeResult> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (data) => behaviour(socket, data.toString().split(" ")[1] ?? ""));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  using limit = realClock.deadline(timeoutMs);
  const target = { podAddress: "127.0.0.1", signal: limit.signal };
  const result = await httpProbe({ port }, containerNamed("app"), target);
  // Nothing stays open, or this would wait for ever.
  server.close();
  await once(server, "close");
  return result;
}
