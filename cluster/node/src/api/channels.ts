import type { WebSocket } from "ws";

/** The protocols of exec and attach over WebSocket, the best first. v5 can tell that stdin is at its end. */
export const commandProtocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"] as const;

/** The channels of a command. */
export const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const;

/** More than this is not put into one message. */
const longestMessage = 32 * 1024;

/** Sends data on a channel; resolves when it has left our buffers. */
export async function send(socket: WebSocket, to: number, data: Uint8Array): Promise<void> {
  for (let start = 0; start < Math.max(1, data.length); start += longestMessage) {
    const part = data.subarray(start, start + longestMessage);
    await sendMessage(socket, Buffer.concat([Buffer.of(to), part]));
  }
}

async function sendMessage(socket: WebSocket, message: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.send(message, (error) => {
    if (error === undefined || error === null) resolve();
    else reject(error);
  });
  await promise;
}

/** The bytes of a message, however they came. */
export function bytesOf(message: Buffer | ArrayBuffer | readonly Buffer[]): Buffer {
  if (Buffer.isBuffer(message)) return message;
  return message instanceof ArrayBuffer ? Buffer.from(message) : Buffer.concat(message);
}
