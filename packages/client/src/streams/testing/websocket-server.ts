import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { connect, type Server, type Socket } from "node:net";
import { VirtualClock, type MessageStream, type UpgradeHandler } from "@kedge/machinery";
import { onTestFinished } from "vitest";
import { WebSocketServer, type ServerOptions, type WebSocket } from "ws";
import { openWebSocket, type WebSocketOptions } from "../../transport/websocket.ts";

/** What a test server does with each stream that a client opens. */
export type ServeStream = (ws: WebSocket, request: IncomingMessage) => void;

/** A server of the test, and the client's way to it. */
export interface TestServer {
  readonly url: string;
  /** Time stands still unless the test moves it. */
  readonly clock: VirtualClock;
  /** The client's sockets, in the order of their making. */
  readonly sockets: readonly Socket[];
  /** What a transport would do. */
  readonly upgrade: UpgradeHandler;
  /** Options for `openWebSocket`, to be changed at will. */
  options(change?: Partial<WebSocketOptions>): WebSocketOptions;
  /** Opens a stream that must not be refused. */
  open(change?: Partial<WebSocketOptions>): Promise<MessageStream>;
}

/** Starts a WebSocket server that speaks one of `protocols` and runs the script on each stream. */
export async function startWebSocketServer(
  serve: ServeStream,
  options: { protocols?: readonly string[] } & Pick<ServerOptions, "autoPong" | "perMessageDeflate"> = {},
): Promise<TestServer> {
  const { protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"], ...others } = options;
  const http = createServer();
  const server = new WebSocketServer({
    ...others,
    server: http,
    handleProtocols: (offered) => [...offered].find((one) => protocols.includes(one)) ?? false,
  });
  server.on("connection", (ws, request) => {
    ws.on("error", () => undefined);
    serve(ws, request);
  });
  onTestFinished(() => {
    for (const ws of server.clients) ws.terminate();
    server.close();
  });
  return await serverAt(http);
}

/** Starts a server that answers all requests for a stream in its own way. */
export function startHttpServer(answer: RequestListener): Promise<TestServer> {
  return serverAt(createServer(answer));
}

/** Sends data on a channel, as the server of a stream. */
export function say(ws: WebSocket, channel: number, data: string | Uint8Array): void {
  ws.send(Buffer.concat([Buffer.from([channel]), Buffer.from(data)]));
}

/** Makes a server of the test known to a client. */
export async function serverAt(server: Server): Promise<TestServer> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  const { port } = address;
  const url = `http://127.0.0.1:${port}`;
  const clock = new VirtualClock();
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const createConnection = async (): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    await once(socket, "connect");
    return socket;
  };
  const options = (change: Partial<WebSocketOptions> = {}): WebSocketOptions => ({
    url: `${url}/stream`,
    headers: {},
    protocols: ["v5.channel.k8s.io"],
    clock,
    createConnection,
    ...change,
  });
  return {
    url,
    clock,
    sockets,
    options,
    upgrade: ({ path, headers, protocols, signal }) =>
      openWebSocket(options({ url: url + path, headers, protocols, signal })),
    async open(change) {
      const stream = await openWebSocket(options(change));
      if ("status" in stream) throw new Error(`refused with ${stream.status}`);
      return stream;
    },
  };
}
