import type { MessageStream, UpgradeHandler } from "@kedge/machinery";
import { channelProtocol, encodeAll } from "@kedge/machinery/streams";
import { withQuery } from "../transport/query.ts";
import { ClientError } from "../client-error.ts";
import { readFrame } from "./channel.ts";
import { openMessageStream, type StreamRequest } from "./open-message-stream.ts";

/** One connection to a port of a pod. */
export interface PortForwardConnection {
  /**
   * What the pod sends, to be read once. Nothing is read ahead of the reader but about 256 KiB. It ends when the pod
   * closes the connection, throws when it breaks or could not be made; leaving it early closes the connection.
   */
  readonly readable: AsyncIterable<Uint8Array>;
  /** Resolves when the data has left our buffers: await it for back-pressure. */
  write(data: Uint8Array): Promise<void>;
  /** Closes both directions. The protocol cannot close only one: the pod cannot be told that no more will come. */
  close(): Promise<void>;
}

/** The protocol numbers channels by the order of the ports; we ask for one port a stream. */
const channel = { data: 0, error: 1 } as const;

/**
 * Connects to a port inside a pod. `request.path` is the path of the pod's `portforward`, without a query. That the
 * pod does not listen there is known only after the opening: then `readable` throws.
 *
 * This is the older of the two WebSocket protocols, which the container runtime serves. The other one, which kubectl prefers, packs
 * SPDY into WebSocket messages; it would add one connection for several streams, and half-closed ones.
 */
export async function openPortForward(
  upgrade: UpgradeHandler,
  request: StreamRequest,
  options: { readonly port: number },
): Promise<PortForwardConnection> {
  const { port } = options;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ClientError(
      "USAGE",
      `port-forward: port is ${port}: must be a whole number between 1 and 65535`,
    );
  }
  const path = withQuery(request.path, { ports: port });
  const stream = await openMessageStream(upgrade, { ...request, path }, [channelProtocol.v4]);
  return {
    readable: readData(stream, port),
    async write(data) {
      for (const message of encodeAll(channel.data, data)) await stream.send(message);
    },
    close: () => stream.close(),
  };
}

async function* readData(stream: MessageStream, port: number): AsyncGenerator<Uint8Array, void, undefined> {
  // Each channel begins with a message that names its port.
  const announced = new Set<number>();
  try {
    for await (const message of stream.messages) {
      const frame = readFrame(message, stream.protocol);
      if (frame?.type !== "data" || frame.data.length === 0) continue;
      if (!announced.has(frame.channel)) {
        announced.add(frame.channel);
        checkPort(frame.data, port);
      } else if (frame.channel === channel.data) {
        yield frame.data;
      } else {
        throw refused(port, frame.data);
      }
    }
  } finally {
    await stream.close();
  }
}

function checkPort(data: Uint8Array, port: number): void {
  const [low = 0, high = 0] = data;
  const announced = low + high * 256;
  if (data.length === 2 && announced === port) return;
  const what = data.length === 2 ? `port ${announced}` : `${data.length} bytes that are no port`;
  throw new ClientError(
    "PROTOCOL",
    `port-forward: port ${port} was asked for, but the server announced ${what}`,
  );
}

function refused(port: number, text: Uint8Array): ClientError {
  const why = Buffer.from(text).toString("utf8", 0, 2048).trim();
  return new ClientError("CONNECTION_LOST", `port-forward to port ${port}: ${why}`, {
    hint: "does the pod run, and does a process in it listen on that port?",
  });
}
