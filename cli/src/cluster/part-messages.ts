import type { Clock, Timer } from "@kedge/machinery";

/** What a part of a cluster tells the process that started it. */
export type PartMessage =
  /** Its event loop turns: sent about every second. */
  | { readonly type: "beat" }
  /** Its start has come so far. */
  | { readonly type: "progress"; readonly what: string }
  /** It can be used. */
  | { readonly type: "ready" }
  /** Something in the cluster got into another state. */
  | { readonly type: "change"; readonly what: string }
  /** It will not be: for whoever cannot read its log, which a full disk has no place for. */
  | { readonly type: "failed"; readonly why: string };

/** How often a part says that it is alive. */
export const beatMs = 1000;

/** Tells who started this process, unless nobody did or that is gone. */
export function tellStarter(message: PartMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** Tells it how far a start has come. */
export function tellProgress(what: string): void {
  tellStarter({ type: "progress", what });
}

/** Says again and again that this process' event loop turns, until it is disposed of or nobody listens any more. */
export function sayAlive(clock: Clock): Disposable {
  let timer: Timer | undefined;
  const beat = (): void => {
    if (!process.connected || process.send === undefined) return;
    // The next one only when this one has left: who does not listen for long is not sent all that was missed.
    process.send({ type: "beat" } satisfies PartMessage, undefined, undefined, (error) => {
      if (error === null && timer !== undefined) timer = clock.timer(beatMs, beat);
    });
  };
  timer = clock.timer(beatMs, beat);
  return {
    [Symbol.dispose]() {
      timer?.cancel();
      timer = undefined;
    },
  };
}

/** Reads a message of a part; undefined when it is none. */
export function partMessage(value: unknown): PartMessage | undefined {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  const [type, what, why] = ["type", "what", "why"].map((name) => fields.get(name));
  if (type === "beat" || type === "ready") return { type };
  if (type === "failed" && typeof why === "string") return { type, why };
  return (type === "progress" || type === "change") && typeof what === "string" ? { type, what } : undefined;
}
