import {
  deepEqual,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Container, PodSpec, Toleration } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";

/** What is wrong with changing a pod so: of its spec, nearly everything stays. */
export function validatePodUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const spec = decodedAs(Pod, object).spec ?? {};
  const before = decodedAs(Pod, previous).spec ?? {};
  const path = fieldPath("spec");
  for (const list of ["containers", "initContainers"] as const) {
    if ((spec[list] ?? []).length !== (before[list] ?? []).length)
      return [fieldForbidden(path.child(list), "pod updates may not add or remove containers")];
  }
  const deadline = deadlineErrors(spec, before, path.child("activeDeadlineSeconds"));
  const errors = [
    ...deadline,
    ...tolerationErrors(spec, before, path.child("tolerations")),
    ...gateErrors(spec, before, path.child("schedulingGates")),
  ];
  if (!deepEqual(withAllowed(spec, before), before)) errors.push(fieldForbidden(path, onlyThese));
  return errors;
}

/** Kubernetes shows the differences of its own types below this; we name the rule only. */
const onlyThese = `pod updates may not change fields other than ${[
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",")}`;

function deadlineErrors(spec: Decoded<PodSpec>, before: Decoded<PodSpec>, path: FieldPath): FieldError[] {
  const now = spec.activeDeadlineSeconds;
  const then = before.activeDeadlineSeconds;
  if (now === undefined) {
    if (then === undefined) return [];
    return [fieldInvalid(path, null, "must not update from a positive integer to nil value")];
  }
  if (then !== undefined && then < now)
    return [fieldInvalid(path, now, "must be less than or equal to previous value")];
  return [];
}

function tolerationErrors(
  { tolerations = [] }: Decoded<PodSpec>,
  before: Decoded<PodSpec>,
  path: FieldPath,
): FieldError[] {
  const now = new Set(tolerations.map(timeless));
  const isKept = (before.tolerations ?? []).every((known) => now.has(timeless(known)));
  if (isKept) return [];
  return [fieldForbidden(path, "existing toleration can not be modified except its tolerationSeconds")];
}

/** All of a toleration but how long. */
function timeless({ key, operator, value, effect }: Decoded<Toleration>): string {
  return JSON.stringify([key, operator, value, effect]);
}

function gateErrors(
  { schedulingGates = [] }: Decoded<PodSpec>,
  before: Decoded<PodSpec>,
  path: FieldPath,
): FieldError[] {
  const known = new Set((before.schedulingGates ?? []).map((gate) => gate.name));
  return schedulingGates.flatMap(({ name = "" }, i) =>
    known.has(name)
      ? []
      : [
          fieldForbidden(
            path.index(i).child("name"),
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

/** The new spec with what may change put back: equal to the old one when nothing else was changed. */
function withAllowed(spec: Decoded<PodSpec>, before: Decoded<PodSpec>): Decoded<PodSpec> {
  const wasNegative = (before.terminationGracePeriodSeconds ?? 0) < 0;
  const isGated = (before.schedulingGates ?? []).length > 0;
  const { containers, initContainers, ...rest } = spec;
  return {
    ...rest,
    ...(containers !== undefined && { containers: withImages(containers, before.containers) }),
    ...(initContainers !== undefined && {
      initContainers: withImages(initContainers, before.initContainers),
    }),
    activeDeadlineSeconds: before.activeDeadlineSeconds,
    tolerations: before.tolerations,
    schedulingGates: before.schedulingGates,
    ...(wasNegative &&
      spec.terminationGracePeriodSeconds === 1 && {
        terminationGracePeriodSeconds: before.terminationGracePeriodSeconds,
      }),
    // A gated pod may be narrowed to fewer nodes before it is scheduled.
    ...(isGated && { nodeSelector: before.nodeSelector, affinity: before.affinity }),
  };
}

function withImages(
  containers: readonly Decoded<Container>[],
  before: readonly Decoded<Container>[] | undefined,
): Decoded<Container>[] {
  return containers.map((container, i) => ({ ...container, image: before?.[i]?.image }));
}
