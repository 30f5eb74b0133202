import type { MessageStream, ServedStream } from "../exchange.ts";
import { inBackground } from "../in-background.ts";

/** A client's stream that can be told that what it was joined with has failed. */
export interface OuterStream extends ServedStream {
  closeWith(code: number): Promise<void>;
}

/** What a WebSocket is closed with when the stream behind it has failed. */
const failed = 1011;

/**
 * Leads a client's stream and the one that was opened for it into each other, no faster than either is read, until one
 * of them is over; then both are. Rejects with what broke them, if anything did.
 */
export async function joinStreams(client: OuterStream, inner: MessageStream): Promise<void> {
  const leave = (): void => inBackground(inner.close(), () => undefined);
  // Also when nobody reads from the client, because the other side is full.
  client.gone.addEventListener("abort", leave, { once: true });
  if (client.gone.aborted) leave();
  const inwards = async (): Promise<void> => {
    for await (const message of client.messages) await inner.send(message);
  };
  const outwards = async (): Promise<void> => {
    for await (const message of inner.messages) await client.send(message);
  };
  try {
    await Promise.race([inwards(), outwards()]);
    await client.closeWith(1000);
  } catch (error) {
    const hasLeft = client.gone.aborted;
    await client.closeWith(failed);
    if (!hasLeft) throw error;
  } finally {
    client.gone.removeEventListener("abort", leave);
    await inner.close();
  }
}
