import { createHash } from "node:crypto";
import { isConditionTrue, type DeepReadonly, type Uid } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ApplyObject } from "@kedge/client";
import { explainPods, type Refusal } from "@kedge/runtime";
import { goodTemplateAnnotation, rolledBackAnnotation, templateAnnotation } from "../names.ts";
import type { Observed } from "../observe.ts";
import { currentRevision } from "./roll.ts";
import { rolloutOf } from "./rollout.ts";
import { serverWords } from "./server-words.ts";

/** Gives a StatefulSet the template back that its pods were ready with. */
export interface RollBack {
  readonly type: "roll back";
  readonly name: string;
  readonly uid: Uid;
  /** The ControllerRevision that has the template. */
  readonly revision: string;
  /** What the StatefulSet is to say of itself. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** What becomes of a template. */
export interface RollBackPlan {
  /** With the template that pods are to have now. */
  readonly statefulSet: DeepReadonly<ApplyObject<StatefulSet>>;
  readonly actions: readonly RollBack[];
  readonly refusals: readonly Refusal[];
}

/**
 * A template is good when all pods are ready with it. When the first pod of another one cannot be, the good one comes
 * back, and with it the pod; the refused one is not tried again until it is another one, and what the server said of it is
 * kept on the StatefulSet. A pod that fails under a template that was good is no reason to change it.
 */
export function planRollBack(
  observed: Pick<Observed, "statefulSet" | "pods" | "claims">,
  wanted: DeepReadonly<ApplyObject<StatefulSet>>,
): RollBackPlan {
  const { statefulSet: present, pods } = observed;
  const hash = templateHash(wanted);
  if (present === undefined)
    return { statefulSet: annotated(wanted, { [templateAnnotation]: hash }), actions: [], refusals: [] };
  const annotations = present.metadata.annotations ?? {};
  const [refused, words = ""] = split(annotations[rolledBackAnnotation]);
  const good = annotations[goodTemplateAnnotation];
  if (refused === hash) {
    const kept = {
      [templateAnnotation]: annotations[templateAnnotation] ?? "",
      ...(good !== undefined && { [goodTemplateAnnotation]: good }),
    };
    const spec = { ...wanted.spec, template: present.spec?.template };
    return {
      statefulSet: annotated({ ...wanted, spec }, kept),
      actions: [],
      refusals: [
        {
          field: "spec",
          message: `was tried on one pod, which did not come to work, and is undone there: ${words}; change it, or ask for a restart to try it again`,
        },
      ],
    };
  }
  const isPresent = annotations[templateAnnotation] === hash;
  const revision = currentRevision(present);
  const isGood = isPresent && revision !== undefined && rolloutOf(present, pods).isSettled && pods.length > 0;
  const known = isGood ? `${revision} ${hash}` : good;
  const statefulSet = annotated(wanted, {
    [templateAnnotation]: hash,
    ...(known !== undefined && { [goodTemplateAnnotation]: known }),
  });
  const [goodRevision = "", goodHash = ""] = split(good);
  const failed =
    isPresent && goodRevision !== "" && goodHash !== hash ? firstFailed(pods, revision) : undefined;
  if (failed === undefined || goodRevision === revision) return { statefulSet, actions: [], refusals: [] };
  const why = explainPods([failed], observed.claims, { lastWords: serverWords })?.message ?? "";
  const { name, uid } = present.metadata;
  const said = { [templateAnnotation]: goodHash, [rolledBackAnnotation]: `${hash} ${why}` };
  // Nothing is applied over it in this run.
  const asIs = { ...wanted, spec: { ...wanted.spec, template: present.spec?.template } };
  return {
    statefulSet: annotated(asIs, pick(annotations)),
    actions: [{ type: "roll back", name, uid, revision: goodRevision, annotations: said }],
    refusals: [],
  };
}

function pick({
  [templateAnnotation]: template,
  [goodTemplateAnnotation]: good,
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    ...(template !== undefined && { [templateAnnotation]: template }),
    ...(good !== undefined && { [goodTemplateAnnotation]: good }),
  };
}

/** The pod that is the first of a template, when it will not come to work by itself. */
function firstFailed(
  pods: readonly DeepReadonly<Pod>[],
  revision: string | undefined,
): DeepReadonly<Pod> | undefined {
  const renewed = pods.filter(({ metadata }) => metadata.labels?.["controller-revision-hash"] === revision);
  if (renewed.some(({ status }) => isConditionTrue(status?.conditions, "Ready"))) return undefined;
  return renewed.find(({ status }) =>
    [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].some(({ state }) =>
      hopeless.has(state?.waiting?.reason ?? ""),
    ),
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

function annotated(
  object: DeepReadonly<ApplyObject<StatefulSet>>,
  annotations: Readonly<Record<string, string>>,
): DeepReadonly<ApplyObject<StatefulSet>> {
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
