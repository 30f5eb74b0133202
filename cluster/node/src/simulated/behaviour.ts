import { parseDurationMs } from "@kedge/machinery";
import { ConfigError } from "../containers/config-error.ts";
import { containersOf } from "../model/spec-of.ts";
import type { ApiPod } from "../model/types.ts";
import type { ProbeKind } from "../probes/types.ts";

/** What all containers of a simulated pod do, but its init containers. */
export const simulateAnnotation = "kedge.dev/simulate";

/** With the name of a container after it: what that one does, whatever the others do. */
export const simulateContainerPrefix = "simulate.kedge.dev/";

/** What a simulated container was told to do. Empty: it runs, is healthy, and ends when it is asked to. */
export interface Behaviour {
  /** How it ends by itself. */
  readonly end?: { readonly exitCode: number; readonly oomKilled: boolean; readonly afterMs: number };
  /** Its image cannot be pulled. */
  readonly failsPull?: boolean;
  /** From when on probes fail, in milliseconds after its start. */
  readonly failing?: Readonly<Partial<Record<ProbeKind, number>>>;
  /** It takes no notice of SIGTERM. */
  readonly ignoresTerm?: boolean;
}

const rule =
  "must be a list of: exit CODE [after TIME], oom [after TIME], fail pull, " +
  "fail startup|liveness|readiness [after TIME], ignore term; such as `exit 1 after 10s`";

/**
 * What a pod's annotations tell one of its containers to do. Throws a `ConfigError` for what nobody could mean: the
 * container waits with it in its status.
 */
export function behaviourOf(pod: ApiPod, container: string): Behaviour {
  const { annotations = {} } = pod.metadata;
  const own = `${simulateContainerPrefix}${container}`;
  const isMeant = containersOf(pod).some(({ name }) => name === container);
  const key = annotations[own] === undefined && isMeant ? simulateAnnotation : own;
  const text = annotations[key] ?? "";
  if (text.trim() === "") return {};
  try {
    const behaviour: Behaviour = {};
    for (const clause of text.split(",")) Object.assign(behaviour, parse(clause, behaviour));
    return behaviour;
  } catch {
    throw new ConfigError(`annotation ${key}: ${JSON.stringify(text)}: ${rule}`);
  }
}

function parse(clause: string, known: Behaviour): Behaviour {
  const words = clause.trim().split(/\s+/u);
  const [verb, what = ""] = words;
  if (verb === "exit")
    return { end: { exitCode: exitCode(what), oomKilled: false, afterMs: after(words, 2) } };
  if (verb === "oom") return { end: { exitCode: 137, oomKilled: true, afterMs: after(words, 1) } };
  if (verb === "fail" && isProbe(what)) return { failing: { ...known.failing, [what]: after(words, 2) } };
  const whole = words.join(" ");
  if (whole === "fail pull") return { failsPull: true };
  if (whole === "ignore term") return { ignoresTerm: true };
  throw new Error("unknown");
}

function exitCode(text: string): number {
  const code = /^\d{1,3}$/u.test(text) ? Number(text) : Number.NaN;
  if (code >= 0 && code <= 255) return code;
  throw new Error("no exit code");
}

/** Nothing stands for at once. */
function after(words: readonly string[], index: number): number {
  if (words.length === index) return 0;
  const [word, time = ""] = words.slice(index);
  const ms = parseDurationMs(time);
  if (word === "after" && words.length === index + 2 && ms >= 0) return ms;
  throw new Error("no time");
}

function isProbe(word: string): word is ProbeKind {
  return word === "startup" || word === "liveness" || word === "readiness";
}
