import { endOfLog, readLog } from "../logs/read-log.ts";
import { podFolder } from "../pod/pod-folder.ts";
import { containerOf } from "../model/spec-of.ts";
import type { ApiPod, Instance } from "../model/types.ts";
import type { ServedCommand, StartCommand } from "./serve-command.ts";
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
  const start = async (signal: AbortSignal): Promise<ServedCommand> => {
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
  return { start, failure: "error executing command in container" };
}

/** What the container writes from now on, taken from its log, and the way to its input, if it has one. */
export function attachCommand(
  context: NodeApiContext,
  { pod, run }: { readonly pod: ApiPod; readonly run: Instance },
  query: URLSearchParams,
): StartCommand {
  const { runtime } = context;
  const definition = containerOf(pod, run.name);
  // Who offers input to a container that takes none is not refused: so it is with the kubelet.
  const wantsInput = isTrue(query, "input", "stdin") && definition?.stdin === true;
  const start = async (signal: AbortSignal): Promise<ServedCommand> => {
    const path = podFolder(context.folder, pod.metadata.uid).logOf(run.name, run.attempt);
    // Before it is told anything: its answer may be written at once.
    const from = await context.clock.track(endOfLog(path));
    const input = wantsInput ? await runtime.attach(run.id) : undefined;
    // Who has nothing more to say leaves, unless its end is that of the container's input.
    const isLast = definition?.stdinOnce === true && definition.tty !== true;
    const left = new AbortController();
    if (!isLast) input?.stdin.once("finish", () => left.abort());
    const isRunning = async (): Promise<boolean> =>
      !left.signal.aborted && (await runtime.inspect(run.id))?.state === "running";
    const follow = async function* (stream: "stdout" | "stderr"): AsyncGenerator<Buffer, void, undefined> {
      const source = { path, from, isRunning, clock: context.clock, signal };
      const now = { follow: true, tailLines: 0, stream } as const;
      const rest = { previous: false, timestamps: false, limitBytes: undefined, since: undefined };
      yield* readLog(source, { ...now, ...rest });
    };
    const over = AbortSignal.any([signal, left.signal]);
    const ended = untilEnded(context, run.id, over).finally(() => input?.close());
    return {
      stdin: input?.stdin,
      stdout: isTrue(query, "output", "stdout") ? follow("stdout") : undefined,
      stderr: isTrue(query, "error", "stderr") && definition?.tty !== true ? follow("stderr") : undefined,
      exit: ended,
      resize: (size) => runtime.resize(run.id, size),
      cancel: () => input?.close(), // The signal ends the rest.
    };
  };
  return { start, failure: "error attaching to container" };
}

/** Resolves when a container has ended, or nobody waits for it any more. */
async function untilEnded({ runtime }: NodeApiContext, id: string, signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stopListening = runtime.onExit((container) => {
    if (container.id === id) resolve(undefined);
  });
  signal.addEventListener("abort", () => resolve(undefined), { once: true });
  if (signal.aborted || (await runtime.inspect(id))?.state !== "running") resolve(undefined);
  await promise;
  stopListening();
  return undefined;
}

/** The names of the streams that a client opens for such a request, where each is a stream of its own. */
export function commandStreamsOf(query: URLSearchParams): readonly string[] {
  const tty = isTrue(query, "tty");
  return [
    ...(isTrue(query, "input", "stdin") ? ["stdin"] : []),
    ...(isTrue(query, "output", "stdout") ? ["stdout"] : []),
    ...(isTrue(query, "error", "stderr") && !tty ? ["stderr"] : []),
    ...(tty ? ["resize"] : []),
  ];
}

function isTrue(query: URLSearchParams, ...names: readonly string[]): boolean {
  return names.some((name) => ["1", "true"].includes(query.get(name) ?? ""));
}
