import { once } from "node:events";
import { connect } from "node:net";
import type { Clock } from "@kedge/machinery";

/** What waiting takes. */
export interface UntilListeningOptions {
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  readonly clock: Clock;
  /** Told about once a second that it still waits. */
  readonly onWait: () => void;
  /** Ends it with a rejection. */
  readonly signal?: AbortSignal;
}

/** A connection to nobody costs next to nothing on the same machine. */
const pause = 20;
const tellEvery = 50;

/** Resolves when somebody listens on the port, however long that takes. */
export async function untilListening(port: number, options: UntilListeningOptions): Promise<void> {
  const { host = "127.0.0.1", clock, onWait, signal } = options;
  for (let attempt = 1; !(await answers(host, port)); attempt++) {
    if (attempt % tellEvery === 0) onWait();
    await clock.sleep(pause, signal);
  }
}

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
