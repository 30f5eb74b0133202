import type { Clock, Logger } from "@kedge/machinery";
import { keepCompiled } from "../keep-compiled.ts";
import { sayAlive, tellProgress, tellStarter } from "../cluster/part-messages.ts";

/** A part of a cluster that runs in a process of its own. */
export interface Part {
  /** Starts; resolves when it can be used. Says how far it has come where that takes long. */
  start(onProgress: (what: string) => void): Promise<RunningPart>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A part that runs. */
export interface RunningPart {
  /** What it does all the time: none of it ends before it is told to stop, unless it fails. */
  readonly work: readonly Promise<void>[];
  stop(): Promise<void>;
}

/**
 * Runs a part until it is told to stop: by SIGTERM or SIGINT, or because the process that started it is gone. A part
 * that fails, or is told to stop before it has started, ends at once: its next start, or who started it, cleans up.
 * A promise that failed while nobody waited for it is no such failure, and might be a stranger's doing: it is an error
 * in the log. What the part cannot do without is in its `work`.
 */
export async function runPart(part: Part): Promise<void> {
  const stop = Promise.withResolvers<"stop">();
  const told = (): void => stop.resolve("stop");
  process.on("SIGTERM", told).on("SIGINT", told).on("disconnect", told);
  const failed = (error: unknown): never => {
    part.logger.error("This part of the cluster failed", { error });
    return exit(1);
  };
  process.on("uncaughtException", failed);
  // The log is on a disk that may be full.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  process.on("unhandledRejection", (error) => {
    part.logger.error("Something failed that nobody waited for", { error });
  });
  using _alive = sayAlive(part.clock);
  using _compiled = keepCompiled(part.clock);
  try {
    const running = await Promise.race([part.start(tellProgress), stop.promise]);
    if (running === "stop") return exit(0);
    tellStarter({ type: "ready" });
    const first = await Promise.race([stop.promise, ...running.work]);
    if (first !== "stop") throw new Error("its work ended by itself");
    await running.stop();
  } catch (error) {
    failed(error);
  }
  if (process.connected) process.disconnect();
}

/** Half of a part may be under way, which would keep the process alive. Logs are written synchronously. */
function exit(code: number): never {
  // oxlint-disable-next-line unicorn/no-process-exit
  process.exit(code);
}
