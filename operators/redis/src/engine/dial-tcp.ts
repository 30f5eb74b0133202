import { once } from "node:events";
import { connect } from "node:net";
import type { Dialer } from "./types.ts";

/** Dials over TCP. */
export const dialTcp: Dialer = async ({ host, port }, listener, signal) => {
  signal.throwIfAborted();
  const socket = connect({ host, port, noDelay: true, keepAlive: true });
  try {
    await once(socket, "connect", { signal });
  } catch (error) {
    // Nobody hears what it may still have to say.
    socket.on("error", () => undefined).destroy();
    throw error;
  }
  let failure: unknown;
  socket.on("data", (bytes) => listener.data(bytes));
  socket.on("error", (error) => (failure = error));
  socket.on("close", () => listener.end(failure));
  return {
    write: (bytes) => socket.write(bytes),
    destroy: () => {
      socket.removeAllListeners("data").removeAllListeners("close").destroy();
    },
  };
};
