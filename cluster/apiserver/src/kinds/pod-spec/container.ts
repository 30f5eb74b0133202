import {
  fieldDuplicate,
  fieldForbidden,
  fieldRequired,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { Container, PodSpec } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { optionalOneOf } from "../validation/field-rules.ts";
import { validateCommonContainer } from "./common-container.ts";
import { validateEphemeralContainers } from "./ephemeral-container.ts";
import { validateLifecycle, validateProbe } from "./probe.ts";
import { validateInitResizePolicy } from "./resize-policy.ts";
import type { KnownVolumes } from "./volume.ts";

/** What is wrong with the containers of a pod, of all sorts. */
export function validateContainers(
  spec: Decoded<PodSpec>,
  volumes: KnownVolumes,
  path: FieldPath,
): FieldError[] {
  const { containers = [], initContainers = [] } = withoutNull(spec);
  const { terminationGracePeriodSeconds: gracePeriod, restartPolicy: restarts } = spec;
  return [
    ...mainErrors(containers, { volumes, gracePeriod, restarts, path: path.child("containers") }),
    ...initErrors(initContainers, containers, {
      volumes,
      gracePeriod,
      restarts,
      path: path.child("initContainers"),
    }),
    ...validateEphemeralContainers(spec, volumes, path.child("ephemeralContainers")),
  ];
}

/** An unset list of containers is null. */
function withoutNull({
  containers,
  initContainers,
}: Decoded<PodSpec>): Pick<Decoded<PodSpec>, "containers" | "initContainers"> {
  return { containers: containers ?? [], initContainers: initContainers ?? [] };
}

interface Place {
  readonly volumes: KnownVolumes;
  readonly gracePeriod: number | undefined;
  /** The pod's restart policy. */
  readonly restarts: string | undefined;
  readonly path: FieldPath;
}

function mainErrors(
  containers: readonly Decoded<Container>[],
  { volumes, gracePeriod, restarts, path }: Place,
): FieldError[] {
  if (containers.length === 0) return [fieldRequired(path)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, i) => [
    ...validateCommonContainer(container, { volumes, restarts, path: path.index(i) }),
    ...duplicateName(container, names, path.index(i)),
    ...watchErrors(container, gracePeriod, path.index(i)),
    ...optionalOneOf(container.restartPolicy, restartPolicies, path.index(i).child("restartPolicy")),
  ]);
  return [...errors, ...hostPortErrors(containers, path)];
}

const restartPolicies = ["Always", "Never", "OnFailure"];

function initErrors(
  initContainers: readonly Decoded<Container>[],
  containers: readonly Decoded<Container>[],
  { volumes, gracePeriod, restarts, path }: Place,
): FieldError[] {
  const names = new Set(containers.map((container) => container.name ?? ""));
  return initContainers.flatMap((container, i) => {
    const item = path.index(i);
    // Only a container after these can have no name twice.
    const isNameless = (container.name ?? "") === "" && !names.has("");
    return [
      ...validateCommonContainer(container, { volumes, restarts, path: item }),
      ...optionalOneOf(container.restartPolicy, restartPolicies, item.child("restartPolicy")),
      ...(isNameless ? [] : duplicateName(container, names, item)),
      ...hostPortErrors([container], path),
      ...(container.restartPolicy === "Always"
        ? watchErrors(container, gracePeriod, item)
        : (["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const)
            .filter((field) => container[field] !== undefined)
            .map((field) => fieldForbidden(item.child(field), onlySidecars))),
      ...validateInitResizePolicy(container, item.child("resizePolicy")),
    ];
  });
}

const onlySidecars = "may not be set for init containers without restartPolicy=Always";

function duplicateName({ name = "" }: Decoded<Container>, names: Set<string>, path: FieldPath): FieldError[] {
  if (names.has(name)) return [fieldDuplicate(path.child("name"), name)];
  names.add(name);
  return [];
}

function watchErrors(
  container: Decoded<Container>,
  gracePeriod: number | undefined,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateLifecycle(container.lifecycle, gracePeriod, path.child("lifecycle")),
    ...validateProbe(container.livenessProbe, "liveness", path.child("livenessProbe")),
    ...validateProbe(container.readinessProbe, "readiness", path.child("readinessProbe")),
    ...validateProbe(container.startupProbe, "startup", path.child("startupProbe")),
  ];
}

function hostPortErrors(containers: readonly Decoded<Container>[], path: FieldPath): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, i) =>
    (container.ports ?? []).flatMap(({ hostPort = 0, hostIP = "", protocol = "" }, j) => {
      if (hostPort === 0) return [];
      const key = `${protocol}/${hostIP}/${hostPort}`;
      const isTaken = taken.has(key);
      taken.add(key);
      return isTaken ? [fieldDuplicate(path.index(i).child("ports").index(j).child("hostPort"), key)] : [];
    }),
  );
}
