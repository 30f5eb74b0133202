import { createHash } from "node:crypto";
import { isConditionTrue, type DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ApplyObject } from "@kedge/client";
import { explainPods, type Refusal } from "@kedge/runtime";
import {
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
}

/** What becomes of a template. */
export interface RollBackPlan {
  /** With the template that pods are to have now. */
  readonly statefulSet: DeepReadonly<ApplyObject<StatefulSet>>;
  readonly actions: readonly RollBack[];
  readonly refusals: readonly Refusal[];
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
}

/**
 * A template is good when all pods are ready with it. When the first pod of another one cannot be, the good one comes
 * back, and with it the pod; the refused one is not tried again until it is another one, and what the server said of it is
 * kept on the StatefulSet. Once a pod was ready with a template, it is not the template when one fails; and what a server
 * may have written so that the one before could not read it, is not put before that one.
 */
export function planRollBack(
  observed: Pick<Observed, "statefulSet" | "pods" | "claims" | "instance">,
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
  const failed = renewed.find(isHopeless);
  if (
    isProven ||
    failed === undefined ||
    goodRevision === "" ||
    goodHash === hash ||
    goodRevision === revision
  )
    return now;
  const why = explainPods([failed], observed.claims, { lastWords: serverWords })?.message ?? "";
  const kept = whyNotBack(observed, { renewed, goodRevision });
  if (kept !== undefined)
    return { ...now, refusals: [{ field: "spec.image", message: `did not come to work: ${why}; ${kept}` }] };
  const undone = saying(asIs, { template: goodHash, proven: goodHash, good, rolledBack: `${hash} ${why}` });
  return {
    ...goingOn(asIs, said),
    actions: [{ type: "roll back", statefulSet: undone, revision: goodRevision }],
  };
}

function goingOn(statefulSet: RollBackPlan["statefulSet"], said: Said): RollBackPlan {
  return { statefulSet: saying(statefulSet, said), actions: [], refusals: [] };
}

function isReady({ status }: DeepReadonly<Pod>): boolean {
  return isConditionTrue(status?.conditions, "Ready");
}

/** It will not come to work by itself. */
function isHopeless({ status }: DeepReadonly<Pod>): boolean {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].some(({ state }) =>
    hopeless.has(state?.waiting?.reason ?? ""),
  );
}

/** What the node says when it has tried several times. */
const hopeless: ReadonlySet<string> = new Set([
  "CrashLoopBackOff",
  "ImagePullBackOff",
  "InvalidImageName",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);

function read({ metadata: { annotations } }: DeepReadonly<StatefulSet>): Said {
  return {
    template: annotations?.[templateAnnotation],
    proven: annotations?.[provenTemplateAnnotation],
    good: annotations?.[goodTemplateAnnotation],
    rolledBack: annotations?.[rolledBackAnnotation],
  };
}

function saying(
  object: DeepReadonly<ApplyObject<StatefulSet>>,
  { template, proven, good, rolledBack }: Said,
): DeepReadonly<ApplyObject<StatefulSet>> {
  const annotations = {
    ...(template !== undefined && { [templateAnnotation]: template }),
    ...(proven !== undefined && { [provenTemplateAnnotation]: proven }),
    ...(good !== undefined && { [goodTemplateAnnotation]: good }),
    ...(rolledBack !== undefined && { [rolledBackAnnotation]: rolledBack }),
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
