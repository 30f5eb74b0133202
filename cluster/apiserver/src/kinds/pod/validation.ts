import { fieldForbidden, fieldInvalid, fieldPath, type FieldError, type FieldPath } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Container, PodSpec } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { validatePodSpec } from "../pod-spec/pod-spec.ts";

/** What is wrong with a pod by itself. */
export function validatePod(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  const spec = decodedAs(Pod, object).spec ?? {};
  const path = fieldPath("spec");
  const isGated = (spec.schedulingGates ?? []).length > 0;
  return [
    ...validatePodSpec(spec, path, object.metadata.name ?? ""),
    ...((spec.serviceAccountName ?? "") === "" ? tokenErrors(spec, path.child("volumes")) : []),
    ...imageErrors(spec.containers ?? [], path.child("containers")),
    ...imageErrors(spec.initContainers ?? [], path.child("initContainers")),
    ...(previous === undefined && (spec.ephemeralContainers ?? []).length > 0
      ? [fieldForbidden(path.child("ephemeralContainers"), "cannot be set on create")]
      : []),
    ...(isGated && (spec.nodeName ?? "") !== ""
      ? [fieldForbidden(path.child("nodeName"), "cannot be set until all schedulingGates have been cleared")]
      : []),
  ];
}

function tokenErrors({ volumes = [] }: Decoded<PodSpec>, path: FieldPath): FieldError[] {
  return volumes.flatMap(({ projected }, i) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, j) => {
      const at = path.index(i).child("projected", "sources").index(j).child("serviceAccountToken");
      const why = "must not be specified when serviceAccountName is not set";
      return serviceAccountToken === undefined ? [] : [fieldForbidden(at, why)];
    }),
  );
}

function imageErrors(containers: readonly Decoded<Container>[], path: FieldPath): FieldError[] {
  return containers.flatMap(({ image = "" }, i) =>
    image === image.trim()
      ? []
      : [fieldInvalid(path.index(i).child("image"), image, "must not have leading or trailing whitespace")],
  );
}
