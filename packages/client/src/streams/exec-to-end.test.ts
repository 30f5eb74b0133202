import { expect, test } from "vitest";
import { execToEnd, type ExecResult, type ExecToEndOptions } from "./exec-to-end.ts";
import { expectNothingLeft, stalled } from "./testing/expectations.ts";
import { say, startWebSocketServer, type TestServer } from "./testing/websocket-server.ts";

const success = '{"metadata":{},"status":"Success"}';

test("collects both outputs as text, characters whole, and the code", async () => {
  const server = await startWebSocketServer((ws) => {
    const euro = Buffer.from("€");
    say(ws, 1, euro.subarray(0, 1));
    say(ws, 2, "warning");
    say(ws, 1, euro.subarray(1));
    say(ws, 3, success);
  });
  expect(await run(server)).toEqual({ code: 0, stdout: "€", stderr: "warning" });
  expectNothingLeft(server);
});

test("feeds stdin and ends it", async () => {
  const server = await startWebSocketServer((ws) => {
    ws.on("message", (message: Buffer) => {
      if (message[0] === 0) say(ws, 1, message.subarray(1));
      else say(ws, 3, success);
    });
  });
  expect(await run(server, { stdin: "hello" })).toEqual({ code: 0, stdout: "hello", stderr: "" });
});

test("a command that ends before it has read its stdin tells how it went", async () => {
  const server = await startWebSocketServer((ws) => {
    ws.pause();
    say(ws, 1, "enough");
    say(ws, 3, success);
  });
  const result = run(server, { stdin: Buffer.alloc(30 * 1024 * 1024) });
  // The server does not read, so it does not see that we close: our patience with it has to end.
  await stalled(() => server.sockets[0]?.bytesRead ?? 0);
  await server.clock.advance(5_000);
  expect(await result).toEqual({ code: 0, stdout: "enough", stderr: "" });
  expectNothingLeft(server);
});

test("too much output is a failure that says what to do", async () => {
  const server = await startWebSocketServer((ws) => {
    say(ws, 1, "0123456789");
    say(ws, 1, "0");
  });
  await expect(run(server, { maxOutputBytes: 10 })).rejects.toMatchObject({
    message: "exec: the command wrote more than 10 bytes to stdout",
    hint: "raise maxOutputBytes, or read the output as a stream",
  });
  expectNothingLeft(server);
});

test("a broken connection is a failure, not a short text", async () => {
  const server = await startWebSocketServer((ws) => ws.send(Buffer.from("\u0001half"), () => ws.terminate()));
  await expect(run(server)).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  expectNothingLeft(server);
});

function run(server: TestServer, options: Partial<ExecToEndOptions> = {}): Promise<ExecResult> {
  return execToEnd(server.upgrade, { path: "/exec", headers: {} }, { command: ["run"], ...options });
}
