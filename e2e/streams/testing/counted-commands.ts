import { PassThrough, Readable, Writable } from "node:stream";
import { realClock as clock, type Random } from "@kedge/machinery";
import type { ContainerRuntime, ExecProcess } from "@kedge/node";

/** Commands of a simulated container, and how many of them there are. */
export interface CountedCommands {
  readonly exec: ContainerRuntime["exec"];
  readonly started: () => number;
  /** Those that run, or whose streams are open. */
  readonly left: () => readonly string[];
}

/** What commands can be asked for. */
export const commandNames = ["yes", "cat", "sleep", "deaf", "noisy", "quick", "missing"] as const;

/** Runs commands that are only streams, some of which take a moment to start. */
export function countCommands(random: Random): CountedCommands {
  const all: { readonly name: string; readonly isLeft: () => boolean }[] = [];
  return {
    async exec(_id, { command: [name = ""], signal }) {
      for (let turns = random.int(4); turns > 0; turns -= 1) await clock.sleep(random.int(3));
      signal?.throwIfAborted();
      const process = processOf(name);
      const streams = [process.stdin, process.stdout, process.stderr];
      const state = { ended: false };
      const note = (): void => {
        state.ended = true;
      };
      process.exit.then(note, note);
      signal?.addEventListener("abort", () => process.kill(), { once: true });
      const isOpen = (stream: Readable | Writable): boolean =>
        !stream.destroyed && !(stream instanceof Readable ? stream.readableEnded : stream.writableEnded);
      all.push({ name, isLeft: () => !state.ended || (name !== "quick" && streams.every(isOpen)) });
      return process;
    },
    started: () => all.length,
    left: () => all.filter(({ isLeft }) => isLeft()).map(({ name }) => name),
  };
}

function processOf(name: string): ExecProcess {
  const exit = Promise.withResolvers<{ readonly exitCode: number }>();
  exit.promise.catch(() => undefined);
  const streams = { stdin: nowhere(), stdout: silent(), stderr: silent() };
  const kill = (): void => {
    exit.resolve({ exitCode: 137 });
    streams.stdout.push(null);
    streams.stderr.push(null);
  };
  switch (name) {
    case "yes":
      return { ...streams, stdout: endless(), exit: exit.promise, resize, kill };
    case "noisy":
      return { ...streams, stdout: endless(), stderr: endless(), exit: exit.promise, resize, kill };
    case "cat": {
      const pipe = new PassThrough();
      pipe.once("end", () => exit.resolve({ exitCode: 0 }));
      streams.stderr.push(null);
      return { ...streams, stdin: pipe, stdout: pipe, exit: exit.promise, resize, kill };
    }
    case "deaf":
      // It never reads its stdin.
      return {
        ...streams,
        stdin: new Writable({ write: () => undefined }),
        exit: exit.promise,
        resize,
        kill,
      };
    case "quick":
      kill();
      return { ...streams, exit: exit.promise, resize, kill };
    case "missing":
      exit.reject(new Error("executable file not found"));
      kill();
      return { ...streams, exit: exit.promise, resize, kill };
    default:
      return { ...streams, exit: exit.promise, resize, kill };
  }
}

const resize = (): Promise<void> => Promise.resolve();

function endless(): Readable {
  const lines = Buffer.from("y\n".repeat(8192));
  return new Readable({
    read() {
      this.push(lines);
    },
  });
}

function silent(): Readable {
  return new Readable({ read: () => undefined });
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
