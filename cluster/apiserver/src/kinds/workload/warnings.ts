import { fieldPath, validateDns1123Label } from "@kedge/machinery";
import { Deployment, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { claimSpecWarnings } from "../persistent-volume-claim/warnings.ts";
import { podSpecWarnings } from "../pod-spec/warnings.ts";

/** What is odd about the template of a workload, when its spec is new. All workloads hold it in the same place. */
export function workloadWarnings(
  object: StoredApiObject,
  previous: StoredApiObject | undefined,
): readonly string[] {
  if (previous?.metadata.generation === object.metadata.generation && previous !== undefined) return [];
  const template = decodedAs(Deployment, object).spec?.template;
  return [
    ...(previous === undefined ? nameWarnings(object) : []),
    ...podSpecWarnings(template?.spec ?? {}, fieldPath("spec", "template", "spec")),
  ];
}

/** The same of a stateful set, and what is odd about its claims. */
export function statefulSetWarnings(
  object: StoredApiObject,
  previous: StoredApiObject | undefined,
): readonly string[] {
  const { volumeClaimTemplates, revisionHistoryLimit } = decodedAs(StatefulSet, object).spec ?? {};
  return [
    ...workloadWarnings(object, previous),
    ...(volumeClaimTemplates ?? []).flatMap(({ spec }, i) => {
      const at = fieldPath("spec", "volumeClaimTemplates").index(i);
      return claimSpecWarnings(spec, previous === undefined ? at : at.child("Spec"));
    }),
    ...((revisionHistoryLimit ?? 0) < 0
      ? [
          "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
        ]
      : []),
  ];
}

/** What is odd about the name of whoever names pods after itself. */
export function nameWarnings(object: StoredApiObject): string[] {
  const faults = validateDns1123Label(object.metadata.name ?? "");
  if (faults.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`,
  ];
}
