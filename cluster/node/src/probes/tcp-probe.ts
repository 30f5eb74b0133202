import { connect } from "node:net";
import type { ProbeResult } from "./types.ts";

/** Succeeds when somebody accepts the connection. */
export async function tcpProbe(host: string, port: number, signal: AbortSignal): Promise<ProbeResult> {
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  const socket = connect({ host, port, signal });
  socket.once("connect", () => resolve({ outcome: "success", output: "" }));
  socket.once("error", (error) => {
    const why = signal.aborted ? "i/o timeout" : error.message;
    resolve({ outcome: "failure", output: `dial tcp ${host}:${port}: ${why}` });
  });
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
