import { spawn } from "node:child_process";
import { connect } from "node:net";
import { Duplex } from "node:stream";
import { channelProtocol, inBackground, keepAlive, type Clock } from "@kedge/machinery";
import type { WebSocket } from "ws";
import { bytesOf, send } from "./channels.ts";

/** The protocol of port-forward over WebSocket: a pair of channels for each port, data and error. */
export const forwardProtocols = [channelProtocol.v4] as const;

/** Whose ports are meant. */
export interface ForwardTarget {
  /** The pod's network namespace; undefined: the host's. */
  readonly namespacePath: string | undefined;
  readonly ports: readonly number[];
  readonly clock: Clock;
}

/** Leads the channels of a paused WebSocket to ports of a pod, as its own `localhost`. Never throws. */
export async function servePortForward(socket: WebSocket, target: ForwardTarget): Promise<void> {
  const connections: Duplex[] = [];
  const end = (): void => {
    for (const connection of connections) connection.destroy();
  };
  socket.once("close", end);
  socket.on("error", end);
  keepAlive(socket, target.clock);
  try {
    for (const [index, port] of target.ports.entries()) {
      const number = Buffer.alloc(2);
      number.writeUInt16LE(port);
      await send(socket, 2 * index, number);
      await send(socket, 2 * index + 1, number);
      const connection = connectInside(target.namespacePath, port);
      connections.push(connection);
      forward(socket, connection, { data: 2 * index, error: 2 * index + 1, port });
    }
  } catch {
    socket.close(1011);
  }
  if (socket.readyState !== socket.OPEN) end();
  socket.on("message", (message: Buffer | ArrayBuffer | Buffer[]) => {
    const bytes = bytesOf(message);
    const [to = 0] = bytes;
    const connection = to % 2 === 0 && bytes.length > 1 ? connections[to / 2] : undefined;
    // One that is full holds back all of them: they share a WebSocket.
    if (connection?.writable === true && !connection.write(bytes.subarray(1))) socket.pause();
  });
  socket.resume();
}

/** What runs inside the pod's network: a pipe between its standard streams and a port. */
const pipeProgram = `
const socket = require("node:net").connect(Number(process.argv[1]), "127.0.0.1");
socket.on("error", (error) => { process.stderr.write(error.message); process.exitCode = 1; process.stdin.destroy(); });
socket.on("close", () => process.stdin.destroy());
process.stdin.pipe(socket).pipe(process.stdout);
`;

/** More of what it complains of is thrown away. */
const longestComplaint = 2048;

/**
 * A connection to a port of `localhost` in a network namespace. A process cannot visit a namespace without moving there
 * as a whole, so a small one is started inside.
 */
function connectInside(namespacePath: string | undefined, port: number): Duplex {
  if (namespacePath === undefined) return connect({ host: "127.0.0.1", port });
  const args = [`--net=${namespacePath}`, "--", process.execPath, "-e", pipeProgram, String(port)];
  const child = spawn("nsenter", args, { stdio: ["pipe", "pipe", "pipe"] });
  let failure: Error | undefined;
  // First of all: a process that could not be made has no streams, and says so later.
  child.once("error", (error) => {
    failure = error;
  });
  const connection = Duplex.from({ readable: child.stdout, writable: child.stdin });
  let complaint = "";
  child.stderr.on("data", (text: Buffer) => {
    complaint = `${complaint}${text.toString("utf8")}`.slice(0, longestComplaint);
  });
  child.once("close", (code) => {
    connection.destroy(
      code === 0 ? undefined : (failure ?? new Error(complaint.trim() || `ended with ${code}`)),
    );
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
    await send(socket, to.error, Buffer.from(text));
  };
  connection.on("error", ({ message }) => {
    inBackground(
      refuse(message).finally(() => socket.close(1000)),
      () => undefined, // The client has gone.
    );
  });
  connection.once("close", () => socket.close(1000));
  for (const event of ["drain", "close"]) connection.on(event, () => socket.resume());
}
