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
    validateUpdate: validateResize,
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

/** What Kubernetes lets a resize change, and in which words it refuses the rest. */
function validateResize(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const path = fieldPath("spec");
  const spec = decodedAs(Pod, object).spec ?? {};
  const { spec: before = {}, status, metadata } = decodedAs(Pod, previous);
  if (metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined)
    return [fieldForbidden("[]", "static pods cannot be resized")];
  if (before.os?.name === "windows") return [fieldForbidden("[]", "windows pods cannot be resized")];
  const running = (status?.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  const known = qosClass(before);
  const errors = [
    ...(qosClass(spec) === known
      ? []
      : [fieldInvalid(path, known, "Pod QOS Class may not change as a result of resizing")]),
    ...(running !== undefined && running.resources === undefined
      ? [fieldForbidden(path, "Pod running on node without support for resize")]
      : []),
  ];
  const others = lists.flatMap((list) => sameOrder(spec[list] ?? [], before[list] ?? [], path.child(list)));
  if (others.length > 0) return [...errors, ...others];
  return [
    ...errors,
    ...[...lists]
      .toReversed()
      .flatMap((list) =>
        (before[list] ?? []).flatMap((container, i) =>
          notRemoved(spec[list]?.[i], container, path.child(list).index(i).child("resources")),
        ),
      ),
    ...(spec.containers ?? []).flatMap((container, i) =>
      changesMore(container, before.containers?.[i])
        ? [fieldForbidden(path, "only cpu and memory resources are mutable")]
        : [],
    ),
    ...(spec.initContainers ?? []).flatMap((container, i) =>
      changesMore(container, before.initContainers?.[i])
        ? [
            fieldForbidden(
              path.child("initContainers").index(i),
              "only cpu and memory resources for init or sidecar containers are mutable",
            ),
          ]
        : [],
    ),
  ];
}

const lists = ["containers", "initContainers"] as const;

type Path = ReturnType<typeof fieldPath>;

function sameOrder(
  now: readonly Decoded<Container>[],
  before: readonly Decoded<Container>[],
  path: Path,
): FieldError[] {
  const list = path.toString().replace("spec.", "");
  if (now.length !== before.length)
    return [fieldForbidden(path, `${list} may not be added or removed on resize`)];
  return before.flatMap(({ name }, i) =>
    now[i]?.name === name
      ? []
      : [fieldForbidden(path.index(i).child("name"), `${list} may not be renamed or reordered on resize`)],
  );
}

function notRemoved(
  now: Decoded<Container> | undefined,
  before: Decoded<Container>,
  path: Path,
): FieldError[] {
  return (["requests", "limits"] as const).flatMap((part) => {
    const kept = now?.resources?.[part] ?? {};
    return Object.keys(before.resources?.[part] ?? {}).every((name) => name in kept)
      ? []
      : [fieldForbidden(path.child(part), `resource ${part} cannot be removed`)];
  });
}

/** Whether anything but processors and memory differs. */
function changesMore(now: Decoded<Container>, before: Decoded<Container> | undefined): boolean {
  return !deepEqual(withoutResizable(now), withoutResizable(before ?? {}));
}

function withoutResizable(container: Decoded<Container>): unknown {
  const rest = (part: "requests" | "limits"): object =>
    Object.fromEntries(
      Object.entries(container.resources?.[part] ?? {}).filter(
        ([name]) => name !== "cpu" && name !== "memory",
      ),
    );
  return { ...container, resources: { requests: rest("requests"), limits: rest("limits") } };
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
