import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { pipeline, Transform, type Readable } from "node:stream";
import type { Clock } from "@kedge/machinery";

/** Whether a command that runc was told to run has been started: then runc writes the command's number to a file. */
export interface ExecStart {
  /** As it stands when runc has ended; rejects when there never was a runc. */
  readonly atExit: Promise<boolean>;
  /**
   * Passes output on, without what runc itself says of a command that it cannot start: that is the error, and who gets
   * both would read it twice.
   */
  outputOf(stream: Readable): Readable;
}

/** Follows the start of a command. */
export function execStart(child: ChildProcess, pidFile: string, clock: Clock): ExecStart {
  const atExit = new Promise<void>((resolve, reject) => {
    child.on("error", reject).on("exit", () => resolve());
  }).then(() => isStarted(pidFile));
  atExit.catch(() => undefined);
  const look = async (): Promise<boolean> => {
    while (child.exitCode === null && child.signalCode === null) {
      if (await isStarted(pidFile)) return true;
      // The command may write before runc has written its number.
      await clock.sleep(5);
    }
    return await atExit;
  };
  let known: Promise<boolean> | undefined;
  return {
    atExit,
    outputOf(stream) {
      const filter = new Transform({
        transform(chunk, _encoding, done) {
          known ??= clock.track(look());
          known.then(
            (started) => done(undefined, started ? chunk : undefined),
            () => done(),
          );
        },
      });
      // Whoever reads it hears of what goes wrong.
      return pipeline(stream, filter, () => undefined);
    },
  };
}

async function isStarted(pidFile: string): Promise<boolean> {
  return (await processNumber(pidFile)) !== undefined;
}

/** The number in a file that runc writes; undefined: there is none yet. */
export async function processNumber(file: string): Promise<number | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trim() === "" ? undefined : Number(text.trim());
}
