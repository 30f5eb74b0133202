import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { EphemeralContainer, PodSpec } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { validateCommonContainer } from "./common-container.ts";
import type { KnownVolumes } from "./volume.ts";

/** What is wrong with the containers that were added to a pod for debugging. */
export function validateEphemeralContainers(
  { ephemeralContainers, containers, initContainers, restartPolicy }: Decoded<PodSpec>,
  volumes: KnownVolumes,
  path: FieldPath,
): FieldError[] {
  const others = [...(containers ?? []), ...(initContainers ?? [])];
  const targets = new Set(others.map(({ name = "" }) => name));
  const names = new Set(targets);
  return (ephemeralContainers ?? []).flatMap((container, i) => {
    const item = path.index(i);
    const { name = "", image = "", targetContainerName: target = "" } = container;
    const isTwice = names.has(name);
    names.add(name);
    return [
      ...validateCommonContainer(container, { volumes, restarts: restartPolicy, path: item }),
      ...(image === image.trim()
        ? []
        : [fieldInvalid(item.child("image"), image, "must not have leading or trailing whitespace")]),
      ...(isTwice ? [fieldDuplicate(item.child("name"), name)] : []),
      ...(target === "" || targets.has(target)
        ? []
        : [fieldNotFound(item.child("targetContainerName"), target)]),
      ...workloadErrors(container, item),
    ];
  });
}

/** What only the containers have that do the pod's work. */
const ofWorkload = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

function workloadErrors(container: Decoded<EphemeralContainer>, path: FieldPath): FieldError[] {
  const why = "cannot be set for an Ephemeral Container";
  const { resources, ...rest } = container;
  // Resources are there even if nobody asked for any.
  const asked: Decoded<EphemeralContainer> = JSON.stringify(resources ?? {}) === "{}" ? rest : container;
  const set = ofWorkload.filter((field) => asked[field] !== undefined);
  const ofMounts = (container.volumeMounts ?? []).flatMap((mount, i) =>
    (["subPath", "subPathExpr"] as const)
      .filter((field) => (mount[field] ?? "") !== "")
      .map((field) => fieldForbidden(path.child("volumeMounts").index(i).child(field), why)),
  );
  return [...set.map((field) => fieldForbidden(path.child(field), why)), ...ofMounts];
}
