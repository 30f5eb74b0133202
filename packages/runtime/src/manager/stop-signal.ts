/** A signal that aborts when the process is asked to stop, by Ctrl-C or by whoever runs it. */
export function stopSignal(process: {
  once(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}): AbortSignal {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  return stopping.signal;
}
