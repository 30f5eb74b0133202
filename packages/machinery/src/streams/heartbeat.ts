import type { Clock } from "../time/clock.ts";

/** A connection on which nothing has happened for this long is asked whether it still lives. */
const idle = 30_000;

/** How long the answer may take. Together with `idle` it is what client-go allows: a minute of silence. */
const patience = 30_000;

/** What the heartbeat of a connection acts on. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Asks for a sign of life. */
  readonly ping: () => void;
  /** True while we do not read: a sign of life could not be seen, and a ping would do harm (see `startHeartbeat`). */
  readonly isPaused: () => boolean;
  /** The connection has not answered. Called once, after which the heartbeat has stopped. */
  readonly onDead: () => void;
}

/** A running heartbeat. */
export interface Heartbeat {
  /** The connection has just shown that it lives. */
  readonly alive: () => void;
  readonly stop: () => void;
}

/**
 * Watches over a connection that may be silent for hours.
 *
 * While we do not read there are no pings: Kubernetes' server closes its side as soon as a command has ended, and a
 * message that reaches it after that makes its kernel drop whatever output is still on its way to a slow reader.
 */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { clock } = options;
  let lastSign = clock.monotonic();
  const check = (): void => {
    const silence = options.isPaused() ? 0 : clock.monotonic() - lastSign;
    if (silence >= idle + patience) {
      options.onDead();
      return;
    }
    if (silence >= idle) options.ping();
    timer = clock.timer(silence >= idle ? idle + patience - silence : idle - silence, check);
  };
  let timer = clock.timer(idle, check);
  return {
    alive: () => {
      lastSign = clock.monotonic();
    },
    stop: () => timer.cancel(),
  };
}
