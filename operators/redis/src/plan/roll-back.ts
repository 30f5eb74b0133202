import { createHash } from "node:crypto";
import { formatTime, isConditionTrue, parseTime, type DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ApplyObject } from "@kedge/client";
import { explainPods, type Refusal } from "@kedge/runtime";
import {
  failingSinceAnnotation,
  goodTemplateAnnotation,
  provenTemplateAnnotation,
  rolledBackAnnotation,
  templateAnnotation,
} from "../names.ts";
import type { Observed } from "../observe.ts";
import { currentRevision } from "./roll.ts";
import { rolloutOf } from "./rollout.ts";
import { serverWords } from "./server-words.ts";
import { whyNotBack } from "./upgrade.ts";

/** Gives a StatefulSet the template back that its pods were ready with. */
export interface RollBack {
  readonly type: "roll back";
  /** All of it, but for the template. */
  readonly statefulSet: DeepReadonly<ApplyObject<StatefulSet>>;
  /** The ControllerRevision that has the template. */
  readonly revision: string;
  /** What is applied when that is gone: the template stays, and it is written down that there is none to go back to. */
  readonly otherwise: DeepReadonly<ApplyObject<StatefulSet>>;
}

/** What becomes of a template. */
export interface RollBackPlan {
  /** With the template that pods are to have now. */
  readonly statefulSet: DeepReadonly<ApplyObject<StatefulSet>>;
  readonly actions: readonly RollBack[];
  readonly refusals: readonly Refusal[];
  /** Milliseconds after which to look again. */
  readonly again?: number;
}

/** What the StatefulSet says of its templates, each by its hash. */
interface Said {
  /** The one that it has. */
  readonly template?: string | undefined;
  /** The one that a pod has been ready with since it has it. */
  readonly proven?: string | undefined;
  /** The one that all pods were ready with, after the name of its ControllerRevision. */
  readonly good?: string | undefined;
  /** The one that failed, before the reason. */
  readonly rolledBack?: string | undefined;
  /** The pod that may fail only for a moment, by its uid, before the time at which that was seen. */
  readonly failing?: string | undefined;
}

/** Instead of the name of a ControllerRevision that is not there any more. */
const revisionGone = "gone";

/**
 * A template is good when all pods are ready with it. When the first pod of another one cannot be, the good one comes
 * back, and with it the pod; the refused one is not tried again until it is another one, and what the server said of it is
 * kept on the StatefulSet. Once a pod was ready with a template, it is not the template when one fails; and what a server
 * may have written so that the one before could not read it, is not put before that one.
 */
export function planRollBack(
  observed: Pick<Observed, "statefulSet" | "pods" | "claims" | "instance" | "now">,
  wanted: DeepReadonly<ApplyObject<StatefulSet>>,
): RollBackPlan {
  const { statefulSet: present, pods } = observed;
  const hash = templateHash(wanted);
  if (present === undefined) return goingOn(wanted, { template: hash });
  const said = read(present);
  // Nothing else is applied over the template that there is.
  const asIs = { ...wanted, spec: { ...wanted.spec, template: present.spec?.template } };
  const revision = currentRevision(present);
  // By the pods, too: a StatefulSet's status may still be about the ones before.
  const isSettled = pods.length > 0 && pods.every(isReady) && rolloutOf(present, pods).isSettled;
  const good =
    isSettled && revision !== undefined && said.template !== undefined
      ? `${revision} ${said.template}`
      : said.good;
  const [refused, words = ""] = split(said.rolledBack);
  if (refused === hash) {
    const message = `was tried on one pod, which did not come to work, and is undone there: ${words}; change it, or ask for a restart to try it again`;
    return { ...goingOn(asIs, { ...said, good }), refusals: [{ field: "spec", message }] };
  }
  if (said.template !== hash) return goingOn(wanted, { template: hash, good });
  const renewed = pods.filter(
    ({ metadata }) => revision !== undefined && metadata.labels?.["controller-revision-hash"] === revision,
  );
  const isProven = said.proven === hash || renewed.some(isReady);
  const now = goingOn(wanted, { template: hash, good, ...(isProven && { proven: hash }) });
  const [goodRevision = "", goodHash = ""] = split(good);
  if (isProven || goodRevision === "" || goodHash === hash || goodRevision === revision) return now;
  const { failed, failing, again } = judge(renewed, said.failing, observed.now);
  if (failed === undefined)
    return failing === undefined ? now : { ...goingOn(wanted, { template: hash, good, failing }), ...again };
  const why = explainPods([failed], observed.claims, { lastWords: serverWords })?.message ?? "";
  const kept = whyNotBack(observed, { renewed, goodRevision });
  if (kept !== undefined)
    return { ...now, refusals: [{ field: "spec.image", message: `did not come to work: ${why}; ${kept}` }] };
  if (goodRevision === revisionGone) {
    const message = `did not come to work: ${why}; what pods were ready with before cannot be given back, because its ControllerRevision is gone: correct the spec`;
    return { ...now, refusals: [{ field: "spec", message }] };
  }
  const undone = saying(asIs, { template: goodHash, proven: goodHash, good, rolledBack: `${hash} ${why}` });
  const otherwise = saying(wanted, { template: hash, good: `${revisionGone} ${goodHash}` });
  return {
    ...goingOn(asIs, said),
    actions: [{ type: "roll back", statefulSet: undone, revision: goodRevision, otherwise }],
  };
}

/** Which pod will not come to work by itself. One whose error may pass is given time, from when it was first seen. */
function judge(
  pods: readonly DeepReadonly<Pod>[],
  before: string | undefined,
  now: number,
): {
  readonly failed?: DeepReadonly<Pod>;
  readonly failing?: string;
  readonly again?: { readonly again: number };
} {
  const failed = pods.find((pod) => isWaiting(pod, hopeless));
  if (failed !== undefined) return { failed };
  const doubtful = pods.find((pod) => isWaiting(pod, passing));
  if (doubtful === undefined) return {};
  const [uid, time = ""] = split(before);
  const age = now - parseTime(time === "" ? formatTime(now) : time);
  // A clock that was set back must not make it wait for hours.
  const isKnown = uid === doubtful.metadata.uid && age >= 0;
  if (isKnown && age >= passingMs) return { failed: doubtful };
  return {
    failing: isKnown && before !== undefined ? before : `${doubtful.metadata.uid} ${formatTime(now)}`,
    again: { again: passingMs - (isKnown ? age : 0) },
  };
}

function goingOn(statefulSet: RollBackPlan["statefulSet"], said: Said): RollBackPlan {
  return { statefulSet: saying(statefulSet, said), actions: [], refusals: [] };
}

function isReady({ status }: DeepReadonly<Pod>): boolean {
  return isConditionTrue(status?.conditions, "Ready");
}

function isWaiting({ status }: DeepReadonly<Pod>, reasons: ReadonlySet<string>): boolean {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].some(({ state }) =>
    reasons.has(state?.waiting?.reason ?? ""),
  );
}

/** What the node says when it has tried several times, or need not try. */
const hopeless: ReadonlySet<string> = new Set(["CrashLoopBackOff", "ImagePullBackOff", "InvalidImageName"]);

/** What it says after the first try: a Secret that it has not seen yet, a runtime that was busy. */
const passing: ReadonlySet<string> = new Set([
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);

/** How long such an error must last, in milliseconds: a node tries again every ten seconds or so. */
const passingMs = 45_000;

function read({ metadata: { annotations } }: DeepReadonly<StatefulSet>): Said {
  return {
    template: annotations?.[templateAnnotation],
    proven: annotations?.[provenTemplateAnnotation],
    good: annotations?.[goodTemplateAnnotation],
    rolledBack: annotations?.[rolledBackAnnotation],
    failing: annotations?.[failingSinceAnnotation],
  };
}

function saying(
  object: DeepReadonly<ApplyObject<StatefulSet>>,
  { template, proven, good, rolledBack, failing }: Said,
): DeepReadonly<ApplyObject<StatefulSet>> {
  const annotations = {
    ...(template !== undefined && { [templateAnnotation]: template }),
    ...(proven !== undefined && { [provenTemplateAnnotation]: proven }),
    ...(good !== undefined && { [goodTemplateAnnotation]: good }),
    ...(rolledBack !== undefined && { [rolledBackAnnotation]: rolledBack }),
    ...(failing !== undefined && { [failingSinceAnnotation]: failing }),
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function templateHash({ spec }: DeepReadonly<ApplyObject<StatefulSet>>): string {
  return createHash("sha256").update(JSON.stringify(spec?.template)).digest("hex").slice(0, 16);
}

/** The first word, and the rest. */
function split(text: string | undefined): readonly [string?, string?] {
  if (text === undefined) return [];
  const at = text.indexOf(" ");
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
