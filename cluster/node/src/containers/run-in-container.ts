import type { Readable } from "node:stream";
import type { Clock } from "@kedge/machinery";
import type { ContainerRuntime } from "../runtime/types.ts";

/** More of a command's output than this is thrown away. */
const longestOutput = 10 * 1024;

/** Runs a command in a container to its end; killed when the signal aborts. */
export async function runInContainer(
  context: { readonly clock: Clock; readonly runtime: ContainerRuntime; readonly signal: AbortSignal },
  id: string,
  command: readonly string[],
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const { clock, runtime, signal } = context;
  signal.throwIfAborted();
  const process = await runtime.exec(id, { command, tty: false, signal });
  const aborted = Promise.withResolvers<never>();
  const streams = [process.stdin, process.stdout, process.stderr];
  for (const stream of streams) stream.on("error", () => undefined);
  const onAbort = (): void => {
    process.kill();
    // What the command itself has started may hold the other ends of these for ever.
    for (const stream of streams) stream.destroy();
    aborted.reject(new Error(`command ${JSON.stringify(command.join(" "))} timed out`));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  // It may have come while the command was made.
  if (signal.aborted) onAbort();
  try {
    process.stdin.end();
    const [{ exitCode }, stdout, stderr] = await Promise.race([
      clock.track(Promise.all([process.exit, textOf(process.stdout), textOf(process.stderr)])),
      aborted.promise,
    ]);
    return { exitCode, output: `${stdout}${stderr}` };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    if (length < longestOutput) chunks.push(bytes.subarray(0, longestOutput - length));
    length += bytes.length;
  }
  return Buffer.concat(chunks).toString("utf8");
}
