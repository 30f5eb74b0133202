import { findCondition, type DeepReadonly } from "@kedge/machinery";
import type { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { explainContainer } from "./explain-container.ts";
import { lastWords } from "./last-words.ts";

/** Why pods are not ready. */
export interface PodTrouble {
  /** One CamelCase word, Kubernetes' own where it has one: ErrImagePull, CrashLoopBackOff, OOMKilled, Unschedulable. */
  readonly reason: string;
  /** Begins with `pod <name>`. The same for as long as the trouble is the same. */
  readonly message: string;
  /** More than an ordinary step of a start or a stop: somebody should know. */
  readonly isWarning: boolean;
}

/** How to explain. */
export interface ExplainOptions {
  /** What is worth telling of the end of a container's log; without secrets, and without what differs each time. */
  readonly lastWords?: (text: string) => string;
}

/**
 * Why pods are not ready, in the words of whoever holds them up; undefined when nobody has said. What will not go by
 * itself comes before what passes, whichever pod it is.
 */
export function explainPods(
  pods: readonly DeepReadonly<Pod>[],
  claims: readonly DeepReadonly<PersistentVolumeClaim>[],
  options: ExplainOptions = {},
): PodTrouble | undefined {
  const words = options.lastWords ?? lastWords;
  // By name: caches have no order, and the same facts must be told in the same words.
  const troubles = pods
    .toSorted((one, other) => byName.compare(one.metadata.name, other.metadata.name))
    .flatMap((pod) => explainPod(pod, claims, words) ?? []);
  return troubles.find(({ isWarning }) => isWarning) ?? troubles[0];
}

const byName = new Intl.Collator("en", { numeric: true });

function explainPod(
  pod: DeepReadonly<Pod>,
  claims: readonly DeepReadonly<PersistentVolumeClaim>[],
  words: (text: string) => string,
): PodTrouble | undefined {
  const { status, metadata } = pod;
  const say = (reason: string, what: string, isWarning: boolean): PodTrouble => ({
    reason,
    message: `pod ${metadata.name} ${what}`,
    isWarning,
  });
  if (metadata.deletionTimestamp !== undefined) return say("PodStopping", "is being stopped", false);
  const ready = findCondition(status?.conditions, "Ready");
  if (ready?.status === "True") return undefined;
  if (status?.phase === "Failed") {
    const why = [status.reason, status.message].filter((text) => (text ?? "") !== "").join(": ");
    return say(status.reason ?? "PodFailed", `has failed${why === "" ? "" : `: ${why}`}`, true);
  }
  const scheduled = findCondition(status?.conditions, "PodScheduled");
  if (scheduled?.status === "False") {
    const reason = scheduled.reason ?? "Unschedulable";
    return say(reason, `is on no node: ${scheduled.message ?? reason}`, true);
  }
  for (const container of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const found = explainContainer(container, { unreadySince: ready?.lastTransitionTime, words });
    if (found === undefined) continue;
    return say(found.reason, `has a container ${container.name} that ${found.what}`, found.isWarning);
  }
  const used = new Set(
    pod.spec.volumes?.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName),
  );
  const waiting = claims.find((claim) => claim.status?.phase === "Pending" && used.has(claim.metadata.name));
  return waiting === undefined
    ? undefined
    : say("VolumePending", `waits for a volume: claim ${waiting.metadata.name} has none yet`, false);
}
