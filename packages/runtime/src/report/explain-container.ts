import type { DeepReadonly } from "@kedge/machinery";
import type { ContainerStateTerminated, ContainerStatus } from "@kedge/machinery/kinds/core/v1";

/** Why a container does not do its work. */
export interface ContainerTrouble {
  readonly reason: string;
  /** Goes behind `a container … that`. */
  readonly what: string;
  readonly isWarning: boolean;
}

/** What else is known. */
export interface ContainerContext {
  /** Since when its pod has not been ready. */
  readonly unreadySince: string | null | undefined;
  readonly words: (text: string) => string;
}

/** Why a container does not run, or has ended so that its pod is not ready; undefined when nobody has said. */
export function explainContainer(
  status: DeepReadonly<ContainerStatus>,
  context: ContainerContext,
): ContainerTrouble | undefined {
  const { waiting } = status.state ?? {};
  const ended = endOf(status, context);
  if (waiting?.reason === "CrashLoopBackOff" || (waiting === undefined && ended !== undefined)) {
    return crash(waiting?.reason, ended, context);
  }
  if (waiting?.reason !== undefined && !ordinary.has(waiting.reason)) {
    // Which of the two it is changes by the minute; what the pull has failed with does not.
    const isPull = waiting.reason === "ImagePullBackOff" || waiting.reason === "ErrImagePull";
    const message = (waiting.message ?? "").replace(/^Back-off pulling image "[^"]*": ErrImagePull: /u, "");
    const reason = isPull ? "ErrImagePull" : waiting.reason;
    return { reason, what: `waits: ${reason}${message === "" ? "" : `: ${message}`}`, isWarning: true };
  }
  return status.state?.running !== undefined && !status.ready
    ? { reason: "NotReady", what: "runs and is not ready", isWarning: false }
    : undefined;
}

/** Ordinary steps of a start are no reason to be told. */
const ordinary = new Set(["PodInitializing", "ContainerCreating"]);

/** The same text in whatever state of the loop it is met. */
function crash(
  waiting: string | undefined,
  ended: DeepReadonly<ContainerStateTerminated> | undefined,
  { words }: ContainerContext,
): ContainerTrouble {
  if (ended === undefined)
    return { reason: "CrashLoopBackOff", what: "waits: CrashLoopBackOff", isWarning: true };
  const { exitCode, reason, message = "" } = ended;
  // Who is killed for memory has not said why.
  const said = reason === "OOMKilled" ? "" : words(message);
  const code = `ended with exit code ${exitCode}${reason === undefined ? "" : ` (${reason})`}`;
  const why = reason === "OOMKilled" ? `${code}, as it needed more memory than its limit` : code;
  return {
    reason: reason === "OOMKilled" ? reason : (waiting ?? reason ?? "Error"),
    what: said === "" ? why : `${why}: ${said}`,
    isWarning: true,
  };
}

/** The end that made the pod unready, if it was one with an error. */
function endOf(
  { state, lastState, ready }: DeepReadonly<ContainerStatus>,
  { unreadySince }: ContainerContext,
): DeepReadonly<ContainerStateTerminated> | undefined {
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined || ended.exitCode === 0) return undefined;
  if (state?.running === undefined) return ended;
  // It runs again. Was the pod ready in between, the end of then is not what it lacks now.
  const restarted = Date.parse(state.running.startedAt ?? "");
  const isSince = Date.parse(unreadySince ?? "") > restarted + reportDelay;
  return ready || isSince ? undefined : ended;
}

/** Milliseconds by which a node may be late to say that a pod is not ready. */
const reportDelay = 5000;
