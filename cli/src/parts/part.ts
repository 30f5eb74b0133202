import type { Logger } from "@kedge/machinery";

/** What a part of a cluster tells the process that started it, once. */
export interface PartReady {
  readonly type: "ready";
}

/** A part of a cluster that runs in a process of its own. */
export interface Part {
  /** Starts; resolves when it can be used. What it returns stops it again. */
  start(): Promise<() => Promise<void>>;
  readonly logger: Logger;
}

/**
 * Runs a part until it is told to stop: by SIGTERM or SIGINT, or because the process that started it is gone. A part
 * that fails ends the process with code 1; its supervisor starts it again.
 */
export async function runPart(part: Part): Promise<void> {
  const stop = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.resolve());
  process.on("disconnect", () => stop.resolve());
  const failed = (error: unknown): void => {
    part.logger.error("This part of the cluster failed", { error });
    process.exitCode = 1;
    stop.resolve();
  };
  process.on("unhandledRejection", failed);
  try {
    const end = await part.start();
    process.send?.({ type: "ready" } satisfies PartReady);
    await stop.promise;
    await end();
  } catch (error) {
    failed(error);
  }
  if (process.connected) process.disconnect();
}
