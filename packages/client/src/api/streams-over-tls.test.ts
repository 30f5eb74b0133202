import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import type { Duplex } from "node:stream";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import { jsonAnswer } from "../testing/bodies.ts";
import { testConfig } from "../testing/config.ts";
import { serveHttps, type TestServer } from "../testing/https-server.ts";
import { connect, type Client } from "../client.ts";

const key = { namespace: "shop", name: "cart" };

describe("streams over TLS", () => {
  const closers: (() => PromiseLike<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  /** A server whose upgrades the test serves; requests without the right token are refused. */
  async function start(
    serve: (socket: WebSocket, path: string) => void,
  ): Promise<{ client: Client; server: TestServer }> {
    const server = await serveHttps(async () => jsonAnswer({}), { protocol: "http/1.1" });
    const sockets = new WebSocketServer({ noServer: true });
    server.server.on(
      "upgrade",
      (request: Parameters<typeof sockets.handleUpgrade>[0], socket: Duplex, head: Buffer) => {
        if (request.headers.authorization !== "Bearer right") {
          const body = JSON.stringify({
            apiVersion: "v1",
            kind: "Status",
            code: 403,
            reason: "Forbidden",
            message: "no exec for you",
          });
          const lines = [
            "HTTP/1.1 403 Forbidden",
            "content-type: application/json",
            `content-length: ${body.length}`,
            "",
            body,
          ];
          socket.end(lines.join("\r\n"));
          return;
        }
        sockets.handleUpgrade(request, socket, head, (ws) => serve(ws, request.url ?? ""));
      },
    );
    const client = connect(testConfig(server.url, { identity: { authorization: "Bearer right" } }));
    closers.push(
      () => client.close(),
      () => server[Symbol.asyncDispose](),
    );
    return { client, server };
  }

  it("exec runs a command with its input, and gives output and exit code", async () => {
    const seen: string[] = [];
    const { client } = await start((socket, path) => {
      seen.push(path);
      socket.on("message", (message: Buffer) => {
        if (message[0] === 0) socket.send(Buffer.concat([Buffer.of(1), message.subarray(1)]));
        if (message[0] !== 255) return;
        const causes = [{ reason: "ExitCode", message: "3" }];
        const status = {
          kind: "Status",
          apiVersion: "v1",
          status: "Failure",
          reason: "NonZeroExitCode",
          details: { causes },
        };
        socket.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(status))]));
      });
    });
    const result = await client
      .of(Pod)
      .exec.run(key, { command: ["cat", "-"], container: "c", stdin: "hello" });
    expect(result).toEqual({ code: 3, stdout: "hello", stderr: "" });
    expect(seen).toEqual([
      "/api/v1/namespaces/shop/pods/cart/exec?container=c&command=cat&command=-&stdin=true&stdout=true&stderr=true&tty=false",
    ]);
  });

  it("gives the server's refusal as a StatusError", async () => {
    const { server } = await start(() => undefined);
    const other = connect(testConfig(server.url, { identity: { authorization: "Bearer wrong" } }));
    closers.push(() => other.close());
    const refused = other.of(Pod).exec.run(key, { command: ["date"] });
    await expect(refused).rejects.toMatchObject({
      name: "StatusError",
      code: 403,
      message: "no exec for you",
    });
  });

  it("exec.run ends with DEADLINE when the command does not", async () => {
    const { client } = await start(() => undefined);
    const running = client.of(Pod).exec.run(key, { command: ["sleep", "inf"], timeout: 300 });
    await expect(running).rejects.toMatchObject({ code: "DEADLINE" });
  });

  it("port-forward leads a local port into the pod", async () => {
    const { client } = await start((socket) => {
      const port = Buffer.of(6379 & 0xff, 6379 >> 8);
      socket.send(Buffer.concat([Buffer.of(0), port]));
      socket.send(Buffer.concat([Buffer.of(1), port]));
      socket.on("message", (message: Buffer) =>
        socket.send(Buffer.concat([Buffer.of(0), Buffer.from("+PONG\r\n"), message.subarray(1, 1)])),
      );
    });
    const listener = await client.of(Pod).portforward.listen(key, { port: 6379 });
    closers.unshift(() => listener.close());
    const socket = connectSocket(listener.port, listener.host);
    socket.write("PING\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toBe("+PONG\r\n");
    socket.destroy();
  });
});
