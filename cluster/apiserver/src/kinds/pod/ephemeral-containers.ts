import { clone, deepEqual, fieldForbidden, fieldPath, type FieldError } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ApiObject, PartSubresource, StoredApiObject } from "../../registry/types.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { validatePod } from "./validation.ts";
import { keepMeta, keepStatus, metadataOfStatus } from "../status.ts";

/** `pods/ephemeralcontainers`: containers for debugging come to a running pod, and never leave it. */
export function ephemeralContainersPart(): PartSubresource {
  return {
    type: "part",
    verbs: ["get", "patch", "update"],
    prepareForUpdate: keepAllElse,
    validate: (object, previous) => (isMirror(object) ? noStaticPods() : validatePod(object, previous)),
    validateUpdate: (object, previous) => (isMirror(object) ? [] : onlyAdded(object, previous)),
  };
}

/** Whether a pod is the picture of one that a node runs from a file. */
function isMirror({ metadata }: StoredApiObject): boolean {
  return metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;
}

function noStaticPods(): FieldError[] {
  return [fieldForbidden("[]", "static pods do not support ephemeral containers")];
}

function keepAllElse(object: ApiObject, previous: StoredApiObject): void {
  const pod = decodedAs(Pod, object);
  const added = pod.spec?.ephemeralContainers;
  pod.spec = clone(decodedAs(Pod, previous).spec) ?? {};
  if (added === undefined) delete pod.spec.ephemeralContainers;
  else pod.spec.ephemeralContainers = added;
  keepStatus(object, previous);
  keepMeta(object, previous, metadataOfStatus);
}

function onlyAdded(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const path = fieldPath("spec", "ephemeralContainers");
  const now = decodedAs(Pod, object).spec?.ephemeralContainers ?? [];
  const before = decodedAs(Pod, previous).spec?.ephemeralContainers ?? [];
  const byName = new Map(now.toReversed().map((each) => [each.name, each]));
  return before.flatMap((container) => {
    const name = JSON.stringify(container.name ?? "");
    const same = byName.get(container.name);
    if (same === undefined)
      return [fieldForbidden(path, `existing ephemeral containers ${name} may not be removed\n`)];
    if (deepEqual(same, container)) return [];
    return [fieldForbidden(path, `existing ephemeral containers ${name} may not be changed\n`)];
  });
}
