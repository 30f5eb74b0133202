import type { ObjectMeta } from "@kedge/machinery";
import type { PodSpec } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { hostChecks } from "./host-checks.ts";
import type { LevelVersion } from "./policy.ts";
import { privilegeChecks } from "./privilege-checks.ts";
import { profileChecks } from "./profile-checks.ts";
import { sorted } from "./texts.ts";
import type { Check, CheckedPod, CheckPod, Violation } from "./types.ts";
import { volumeCheck } from "./volume-check.ts";

/** All that a level of a version has against a pod, or against those of a template. */
export function evaluate(
  { level, version }: LevelVersion,
  pod: { readonly metadata?: Decoded<ObjectMeta> | undefined; readonly spec?: Decoded<PodSpec> | undefined },
): readonly Violation[] {
  if (level === "privileged") return [];
  const { spec = {} } = pod;
  const checked: CheckedPod = {
    annotations: pod.metadata?.annotations ?? {},
    spec,
    containers: [
      ...(spec.initContainers ?? []),
      ...(spec.containers ?? []),
      ...(spec.ephemeralContainers ?? []),
    ],
  };
  return checksOf(level, version === "latest" ? Infinity : version).flatMap((check) => check(checked) ?? []);
}

/** `privileged (container "c" must not …), hostPort (…)`. */
export function detailsText(violations: readonly Violation[]): string {
  return violations
    .map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`))
    .join(", ");
}

/** `privileged, hostPort`. */
export function reasonsText(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(", ");
}

const allChecks: readonly Check[] = [...hostChecks, ...privilegeChecks, ...profileChecks, volumeCheck];

function ordered(level: Check["level"]): readonly Check[] {
  const ofLevel = allChecks.filter((check) => check.level === level);
  return sorted(ofLevel.map(({ id }) => id)).flatMap((id) => ofLevel.find((check) => check.id === id) ?? []);
}

const baseline = ordered("baseline");
const restricted = ordered("restricted");

/** What is checked at a level of a minor version, in order: what is baseline first. */
function checksOf(level: Check["level"], version: number): readonly CheckPod[] {
  const applying = (checks: readonly Check[]): readonly Check[] =>
    checks.filter(({ versions }) => versions.some(([since]) => since <= version));
  const stricter = level === "restricted" ? applying(restricted) : [];
  const overridden = new Set(stricter.map(({ overrides }) => overrides));
  return [...applying(baseline).filter(({ id }) => !overridden.has(id)), ...stricter].flatMap(
    ({ versions }) => versions.findLast(([since]) => since <= version)?.[1] ?? [],
  );
}
