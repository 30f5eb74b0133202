import { clone, deepEqual, fieldForbidden, fieldInvalid, fieldPath, type FieldError } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Container, PodSpec } from "@kedge/machinery/kinds/core/v1";
import type { ApiObject, PartSubresource, StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { keepMeta, keepStatus, metadataOfStatus } from "../status.ts";
import { qosClass } from "./qos-class.ts";

/** `pods/resize`: the resources of a pod's containers, and nothing else of it. */
export function resizePart(): PartSubresource {
  return {
    type: "part",
    verbs: ["get", "patch", "update"],
    prepareForUpdate: keepAllElse,
    validateUpdate: sameContainersAndClass,
  };
}

function keepAllElse(object: ApiObject, previous: StoredApiObject): void {
  const pod = decodedAs(Pod, object);
  const sent = pod.spec ?? {};
  const spec: Decoded<PodSpec> = clone(decodedAs(Pod, previous).spec) ?? {};
  // Containers that came or went are left for the validation to find.
  if (!sameNames(sent, spec)) return;
  takeResources(spec.containers ?? [], sent.containers ?? []);
  takeResources(spec.initContainers ?? [], sent.initContainers ?? []);
  pod.spec = spec;
  keepStatus(object, previous);
  keepMeta(object, previous, metadataOfStatus);
}

function sameContainersAndClass(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const path = fieldPath("spec");
  const spec = decodedAs(Pod, object).spec ?? {};
  const before = decodedAs(Pod, previous).spec ?? {};
  if (!sameNames(spec, before))
    return [fieldForbidden(path.child("containers"), "containers may not be renamed or reordered on resize")];
  const known = qosClass(before);
  if (qosClass(spec) === known) return [];
  return [fieldInvalid(path, known, "Pod QOS Class may not change as a result of resizing")];
}

function sameNames(a: Decoded<PodSpec>, b: Decoded<PodSpec>): boolean {
  return deepEqual(namesOf(a), namesOf(b));
}

function namesOf(spec: Decoded<PodSpec>): readonly unknown[] {
  return [spec.containers, spec.initContainers].map((list) => (list ?? []).map(({ name }) => name ?? ""));
}

function takeResources(containers: readonly Decoded<Container>[], from: readonly Decoded<Container>[]): void {
  for (const [i, container] of containers.entries()) {
    container.resources = from[i]?.resources ?? {};
    const policy = from[i]?.resizePolicy;
    if (policy === undefined) delete container.resizePolicy;
    else container.resizePolicy = policy;
  }
}
