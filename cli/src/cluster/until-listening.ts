import { once } from "node:events";
import { connect } from "node:net";
import type { Clock } from "@kedge/machinery";

/** What waiting takes. */
export interface UntilListeningOptions {
  readonly clock: Clock;
  /** Told about once a second that it still waits. */
  readonly onWait: () => void;
}

/** A connection to nobody costs next to nothing on the same machine. */
const pause = 20;
const tellEvery = 50;

/** Resolves when somebody listens on the port of 127.0.0.1, however long that takes. */
export async function untilListening(port: number, { clock, onWait }: UntilListeningOptions): Promise<void> {
  for (let attempt = 1; !(await answers(port)); attempt++) {
    if (attempt % tellEvery === 0) onWait();
    await clock.sleep(pause);
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
