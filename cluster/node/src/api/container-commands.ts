import { readLog } from "../logs/read-log.ts";
import { podFolder } from "../pod/pod-folder.ts";
import type { ApiPod, Instance } from "../model/types.ts";
import type { SocketCommand, StartCommand } from "./command-socket.ts";
import { RequestError } from "./find-container.ts";
import type { NodeApiContext } from "./context.ts";

/** A command to be run in a container. Throws when none is given. */
export function execCommand(
  { runtime }: NodeApiContext,
  run: Instance,
  query: URLSearchParams,
): StartCommand {
  const command = query.getAll("command");
  if (command.length === 0) throw new RequestError(400, "you must specify at least one command");
  const tty = isTrue(query, "tty");
  const wantsStdin = isTrue(query, "input", "stdin");
  const wantsStdout = isTrue(query, "output", "stdout");
  const wantsStderr = isTrue(query, "error", "stderr") && !tty;
  return async (signal) => {
    const process = await runtime.exec(run.id, { command, tty, signal });
    const streams = [process.stdin, process.stdout, process.stderr];
    // Whoever reads or writes them hears of it, too.
    for (const stream of streams) stream.on("error", () => undefined);
    if (!wantsStdin) process.stdin.end();
    if (!wantsStdout) process.stdout.resume();
    if (!wantsStderr) process.stderr.resume();
    return {
      stdin: wantsStdin ? process.stdin : undefined,
      stdout: wantsStdout ? process.stdout : undefined,
      stderr: wantsStderr ? process.stderr : undefined,
      exit: process.exit,
      resize: (size) => process.resize(size),
      cancel: () => {
        process.kill();
        // What the command itself has started may hold the other ends of these for ever.
        for (const stream of streams) stream.destroy();
      },
    };
  };
}

/** What the container writes from now on, taken from its log. Its stdin is not connected: throws when it is wanted. */
export function attachCommand(
  context: NodeApiContext,
  { pod, run }: { readonly pod: ApiPod; readonly run: Instance },
  query: URLSearchParams,
): StartCommand {
  if (isTrue(query, "input", "stdin")) {
    throw new RequestError(
      400,
      `container ${run.name}: stdin of a running container cannot be attached on this node; use exec`,
    );
  }
  const isRunning = async (): Promise<boolean> =>
    (await context.runtime.inspect(run.id))?.state === "running";
  return (signal) => {
    const ended = Promise.withResolvers<undefined>();
    const follow = async function* (stream: "stdout" | "stderr"): AsyncGenerator<Buffer, void, undefined> {
      const path = podFolder(context.folder, pod.metadata.uid).logOf(run.name, run.attempt);
      const source = { path, isRunning, clock: context.clock, signal };
      const now = { follow: true, tailLines: 0, stream } as const;
      const rest = { previous: false, timestamps: false, limitBytes: undefined, since: undefined };
      try {
        yield* readLog(source, { ...now, ...rest });
      } finally {
        ended.resolve(undefined);
      }
    };
    const attached: SocketCommand = {
      stdin: undefined,
      stdout: follow("stdout"),
      stderr: isTrue(query, "tty") ? undefined : follow("stderr"),
      exit: ended.promise,
      resize: () => Promise.resolve(),
      cancel: () => undefined, // The signal ends it.
    };
    return Promise.resolve(attached);
  };
}

function isTrue(query: URLSearchParams, ...names: readonly string[]): boolean {
  return names.some((name) => ["1", "true"].includes(query.get(name) ?? ""));
}
