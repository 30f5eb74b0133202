import { spawn } from "node:child_process";
import { connect } from "node:net";
import { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { bytesOf, send } from "./channels.ts";

/** The protocol of port-forward over WebSocket: a pair of channels for each port, data and error. */
export const forwardProtocols = ["v4.channel.k8s.io"] as const;

/** Whose ports are meant. */
export interface ForwardTarget {
  /** The pod's network namespace; undefined: the host's. */
  readonly namespacePath: string | undefined;
  readonly ports: readonly number[];
}

/** Leads the channels of a paused WebSocket to ports of a pod, as its own `localhost`. */
export async function servePortForward(socket: WebSocket, target: ForwardTarget): Promise<void> {
  const connections: Duplex[] = [];
  for (const [index, port] of target.ports.entries()) {
    const number = Buffer.alloc(2);
    number.writeUInt16LE(port);
    await send(socket, 2 * index, number);
    await send(socket, 2 * index + 1, number);
    const connection = connectInside(target.namespacePath, port);
    connections.push(connection);
    forward(socket, connection, { data: 2 * index, error: 2 * index + 1, port });
  }
  socket.on("message", (message: Buffer | ArrayBuffer | Buffer[]) => {
    const bytes = bytesOf(message);
    const [to = 0] = bytes;
    if (to % 2 === 0 && bytes.length > 1) connections[to / 2]?.write(bytes.subarray(1));
  });
  const end = (): void => {
    for (const connection of connections) connection.destroy();
  };
  socket.once("close", end);
  socket.once("error", end);
  socket.resume();
}

/** What runs inside the pod's network: a pipe between its standard streams and a port. */
const pipeProgram = `
const socket = require("node:net").connect(Number(process.argv[1]), "127.0.0.1");
socket.on("error", (error) => { process.stderr.write(error.message); process.exitCode = 1; process.stdin.destroy(); });
socket.on("close", () => process.stdin.destroy());
process.stdin.pipe(socket).pipe(process.stdout);
`;

/**
 * A connection to a port of `localhost` in a network namespace. A process cannot visit a namespace without moving there
 * as a whole, so a small one is started inside.
 */
function connectInside(namespacePath: string | undefined, port: number): Duplex {
  if (namespacePath === undefined) return connect({ host: "127.0.0.1", port });
  const args = [`--net=${namespacePath}`, "--", process.execPath, "-e", pipeProgram, String(port)];
  const child = spawn("nsenter", args, { stdio: ["pipe", "pipe", "pipe"] });
  const connection = Duplex.from({ readable: child.stdout, writable: child.stdin });
  let complaint = "";
  child.stderr.on("data", (text: Buffer) => {
    complaint += text.toString("utf8");
  });
  child.once("error", (error) => connection.destroy(error));
  child.once("close", (code) => {
    connection.destroy(code === 0 ? undefined : new Error(complaint.trim() || `ended with ${code}`));
  });
  connection.once("close", () => child.kill("SIGKILL"));
  return connection;
}

function forward(
  socket: WebSocket,
  connection: Duplex,
  to: { readonly data: number; readonly error: number; readonly port: number },
): void {
  connection.on("data", (data: Buffer) => {
    connection.pause();
    send(socket, to.data, data)
      .then(() => connection.resume())
      .catch(() => connection.destroy());
  });
  const refuse = async (why: string): Promise<void> => {
    const text = `error forwarding port ${to.port} to the pod: ${why}`;
    await send(socket, to.error, Buffer.from(text)).catch(() => undefined);
    socket.close(1000);
  };
  connection.once("error", ({ message }) => {
    void refuse(message);
  });
  connection.once("close", () => socket.close(1000));
}
