import { StatusError, type UpgradeHandler } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import type { WebSocket } from "ws";
import type { CommandSession } from "./command-session.ts";
import { openAttach, openExec, type ExecOptions } from "./exec.ts";
import { expectNothingLeft, stalled, take, until } from "./testing/expectations.ts";
import { say, startHttpServer, startWebSocketServer, type TestServer } from "./testing/websocket-server.ts";

const path = "/api/v1/namespaces/default/pods/web-0/exec";
const success = '{"metadata":{},"status":"Success"}';
const exit3 = JSON.stringify({
  metadata: {},
  status: "Failure",
  reason: "NonZeroExitCode",
  details: { causes: [{ reason: "ExitCode", message: "3" }] },
});

describe("exec", () => {
  test("gives output and exit code, and asks for what is wanted", async () => {
    let asked: string | undefined;
    const server = await startWebSocketServer((ws, request) => {
      asked = request.url;
      say(ws, 1, "");
      say(ws, 1, "out");
      say(ws, 2, "err");
      say(ws, 3, exit3);
      ws.close(1000);
    });
    const session = await exec(server, { command: ["sh", "-c", "echo out; exit 3"], container: "web" });
    expect(await text(session.stdout)).toBe("out");
    expect(await text(session.stderr)).toBe("err");
    expect(await session.exit).toEqual({ code: 3 });
    expect(asked).toBe(
      `${path}?container=web&command=sh&command=-c&command=echo+out%3B+exit+3&stdin=false&stdout=true&stderr=true&tty=false`,
    );
    await session.close();
    expectNothingLeft(server);
  });

  test("a server that does not close after the status is closed by us", async () => {
    const server = await startWebSocketServer((ws) => say(ws, 3, success));
    const session = await exec(server);
    expect(await text(session.stdout)).toBe("");
    expect(await session.exit).toEqual({ code: 0 });
    await until(() => server.clock.pending().timers === 0);
    expectNothingLeft(server);
  });

  test("stdin is echoed in order, and its end is told", async () => {
    const server = await startWebSocketServer((ws) => {
      ws.on("message", (message: Buffer) => {
        if (message[0] === 0) say(ws, 1, message.subarray(1));
        if (message.equals(Buffer.from([255, 0]))) say(ws, 3, success);
      });
    });
    const session = await exec(server, { stdin: true });
    const big = "é".repeat(200_000);
    // Not awaited one by one: the session keeps the order, and does not let the end overtake.
    const written = Promise.all([
      session.stdin.write("first,"),
      session.stdin.write(big),
      session.stdin.end(),
    ]);
    expect(await text(session.stdout)).toBe(`first,${big}`);
    await written;
    expect(await session.exit).toEqual({ code: 0 });
    await expect(session.stdin.write("late")).rejects.toMatchObject({ code: "USAGE" });
  });

  test("the size of the terminal is sent, and a terminal has no stderr", async () => {
    let asked: string | undefined;
    const server = await startWebSocketServer((ws, request) => {
      asked = request.url;
      ws.on("message", (message: Buffer) => {
        say(ws, 1, message);
        say(ws, 3, success);
      });
    });
    const session = await exec(server, { tty: true });
    await session.resize(120, 40);
    expect(await text(session.stdout)).toBe('\u0004{"Width":120,"Height":40}');
    expect(asked).toContain("stderr=false&tty=true");
  });

  test("a status that comes in pieces, or after an empty one, is put together", async () => {
    const server = await startWebSocketServer((ws) => {
      say(ws, 3, "");
      say(ws, 3, exit3.slice(0, 20));
      say(ws, 3, exit3.slice(20));
    });
    expect(await (await exec(server)).exit).toEqual({ code: 3 });
  });

  test("a command that cannot be run is a StatusError; its outputs just end", async () => {
    const server = await startWebSocketServer((ws) => {
      say(ws, 3, '{"status":"Failure","message":"container not found","code":500}');
    });
    const session = await exec(server);
    await expect(session.exit).rejects.toThrow("container not found");
    await expect(session.exit).rejects.toBeInstanceOf(StatusError);
    expect(await text(session.stdout)).toBe("");
  });

  test("v5 may end one output before the other", async () => {
    const server = await startWebSocketServer((ws) => {
      say(ws, 2, "err");
      ws.send(Buffer.from([255, 2]));
    });
    const session = await exec(server);
    expect(await text(session.stderr)).toBe("err");
    await session.close();
  });

  test("with v4 all works but the end of stdin", async () => {
    const server = await startWebSocketServer(
      (ws) => ws.on("message", (message: Buffer) => say(ws, 1, message.subarray(1))),
      { protocols: ["v4.channel.k8s.io"] },
    );
    const session = await exec(server, { stdin: true });
    await session.stdin.write("in");
    expect(await take(session.stdout, 1)).toEqual([Buffer.from("in")]);
    await expect(session.stdin.end()).rejects.toMatchObject({
      code: "PROTOCOL",
      message: "exec: the server speaks only v4.channel.k8s.io, which cannot end stdin",
    });
    await session.close();
  });

  test("attach speaks the same protocol", async () => {
    let asked: string | undefined;
    const server = await startWebSocketServer((ws, request) => {
      asked = request.url;
      say(ws, 1, "running");
      say(ws, 3, success);
    });
    const session = await openAttach(server.upgrade, { path: "/attach", headers: {} }, { container: "web" });
    expect(await text(session.stdout)).toBe("running");
    expect(await session.exit).toEqual({ code: 0 });
    expect(asked).toBe("/attach?container=web&stdin=false&stdout=true&stderr=true&tty=false");
  });
});

describe("a slow reader of a command", () => {
  const chunk = Buffer.alloc(64 * 1024, "x");
  const count = 256; // 16 MiB: much more than all buffers on the way.
  const flood = (ws: WebSocket, channel: number): void => {
    for (let index = 0; index < count; index++) say(ws, channel, chunk);
    say(ws, channel, "end");
    say(ws, 3, success);
  };

  test("holds the server up, in little memory, and loses nothing", async () => {
    let sender: WebSocket | undefined;
    const server = await startWebSocketServer((ws) => {
      sender = ws;
      flood(ws, 1);
    });
    const session = await exec(server);
    expect(await stalled(() => server.sockets[0]?.bytesRead ?? 0)).toBeLessThan(2 * 1024 * 1024);
    expect(sender?.bufferedAmount).toBeGreaterThan(4 * 1024 * 1024);
    expect((await text(session.stdout)).length).toBe(count * chunk.length + 3);
    expect(await session.exit).toEqual({ code: 0 });
  });

  test("of stderr does not see the exit until it has read", async () => {
    const server = await startWebSocketServer((ws) => flood(ws, 2));
    const session = await exec(server);
    let ended = false;
    void session.exit.then(() => (ended = true));
    await stalled(() => server.sockets[0]?.bytesRead ?? 0);
    expect(ended).toBe(false);
    expect((await text(session.stderr)).endsWith("end")).toBe(true);
    expect(await session.exit).toEqual({ code: 0 });
  });

  test.each([
    { name: "discard()", leave: async (session: CommandSession) => session.stderr.discard() },
    { name: "leaving", leave: async (session: CommandSession) => void (await take(session.stderr, 1)) },
  ])("that is not interested lets all go on by $name", async ({ leave }) => {
    const server = await startWebSocketServer((ws) => flood(ws, 2));
    const session = await exec(server);
    await leave(session);
    expect(await session.exit).toEqual({ code: 0 });
  });
});

describe("a command whose stream fails", () => {
  test("a refusal is a StatusError", async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(403, { "content-type": "application/json" });
      const message = 'pods "web-0" is forbidden: no';
      const status = {
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        reason: "Forbidden",
        code: 403,
        message,
      };
      response.end(JSON.stringify(status));
    });
    const opening = exec(server);
    await expect(opening).rejects.toBeInstanceOf(StatusError);
    await expect(opening).rejects.toMatchObject({ code: 403, reason: "Forbidden" });
    await until(() => server.sockets[0]?.destroyed === true);
  });

  test.each([
    { name: "dies", end: (ws: WebSocket) => ws.terminate(), code: "CONNECTION_LOST" },
    { name: "closes without a status", end: (ws: WebSocket) => ws.close(1000), code: "CONNECTION_LOST" },
    {
      name: "gives a status that is none",
      end: (ws: WebSocket) => {
        say(ws, 3, "command terminated");
        ws.close(1000);
      },
      code: "PROTOCOL",
    },
    { name: "breaks the protocol", end: (ws: WebSocket) => ws.send(Buffer.from([255])), code: "PROTOCOL" },
  ])("a server that $name fails exit and readers, after what came before", async ({ end, code }) => {
    const server = await startWebSocketServer((ws) => ws.send(Buffer.from("\u0001half"), () => end(ws)));
    const session = await exec(server, { stdin: true });
    const stdout = session.stdout[Symbol.asyncIterator]();
    expect(await stdout.next()).toEqual({ done: false, value: Buffer.from("half") });
    await expect(stdout.next()).rejects.toMatchObject({ code });
    await expect(session.exit).rejects.toMatchObject({ code });
    await expect(session.stdin.write("x")).rejects.toMatchObject({ code });
    await session.close();
    expectNothingLeft(server);
  });

  test("an abort ends readers, writers and exit, though output waits to be read", async () => {
    const server = await startWebSocketServer((ws) => {
      for (let index = 0; index < 100; index++) say(ws, 1, Buffer.alloc(64 * 1024));
    });
    const abort = new AbortController();
    const session = await exec(server, { stdin: true }, abort.signal);
    await stalled(() => server.sockets[0]?.bytesRead ?? 0);
    abort.abort();
    const waiting = session.stdout[Symbol.asyncIterator]().next();
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED" });
    await expect(text(session.stderr)).rejects.toMatchObject({ code: "ABORTED" });
    await expect(session.exit).rejects.toMatchObject({ code: "ABORTED" });
    await expect(session.stdin.write("x")).rejects.toMatchObject({ code: "ABORTED" });
    await session.close();
    expectNothingLeft(server);
  });

  test("close() before the end fails exit, though output waits to be read", async () => {
    const server = await startWebSocketServer((ws) => {
      for (let index = 0; index < 100; index++) say(ws, 1, Buffer.alloc(64 * 1024));
    });
    const session = await exec(server);
    await stalled(() => server.sockets[0]?.bytesRead ?? 0);
    await session.close();
    await expect(session.exit).rejects.toMatchObject({
      code: "ABORTED",
      message: "exec: closed by the caller before the end",
    });
    expectNothingLeft(server);
  });
});

describe("a call that makes no sense is refused before anything is sent", () => {
  test.each<{ options: ExecOptions; text: string }>([
    { options: { command: [] }, text: "exec: command must have at least one element" },
    {
      options: { command: ["sh"], tty: true, stderr: true },
      text: "exec: tty and stderr cannot both be true",
    },
  ])("$text", async ({ options, text: message }) => {
    await expect(openExec(nobody, { path, headers: {} }, options)).rejects.toMatchObject({
      code: "USAGE",
      message,
    });
  });

  test("a write without stdin", async () => {
    const server = await startWebSocketServer(() => undefined);
    const session = await exec(server);
    await expect(session.stdin.write("x")).rejects.toMatchObject({ code: "USAGE" });
    await session.close();
  });
});

const nobody: UpgradeHandler = () => Promise.reject(new Error("must not be called"));

function exec(
  server: TestServer,
  options: Partial<ExecOptions> = {},
  signal?: AbortSignal,
): Promise<CommandSession> {
  return openExec(server.upgrade, { path, headers: {}, signal }, { command: ["run"], ...options });
}

async function text(source: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await take(source)).toString();
}
