import { fieldRequired, validateDns1123Label, type FieldError, type FieldPath } from "@kedge/machinery";
import type { Container } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named, oneOf } from "../validation/field-rules.ts";
import { validateContainerPorts } from "../validation/port.ts";
import { validateEnv, validateEnvFrom } from "./env.ts";
import { validateResizePolicy } from "./resize-policy.ts";
import { validateResources } from "./resources.ts";
import { validateSecurityContext } from "./security-context.ts";
import { validateVolumeDevices } from "./volume-device.ts";
import { validateVolumeMounts } from "./volume-mount.ts";
import type { KnownVolumes } from "./volume.ts";

/** Where a container is. */
export interface ContainerPlace {
  readonly volumes: KnownVolumes;
  /** The pod's restart policy. */
  readonly restarts: string | undefined;
  readonly path: FieldPath;
}

/** What is wrong with a container of any sort. */
export function validateCommonContainer(
  container: Decoded<Container>,
  { volumes, restarts, path }: ContainerPlace,
): FieldError[] {
  const { name = "", image = "" } = container;
  const namePath = path.child("name");
  return [
    ...(name === "" ? [fieldRequired(namePath)] : named(name, validateDns1123Label, namePath)),
    ...(image === "" ? [fieldRequired(path.child("image"))] : []),
    ...oneOf(
      container.terminationMessagePolicy,
      ["File", "FallbackToLogsOnError"],
      path.child("terminationMessagePolicy"),
    ),
    ...validateContainerPorts(container.ports ?? [], path.child("ports")),
    ...validateEnv(container.env ?? [], path.child("env")),
    ...validateEnvFrom(container.envFrom ?? [], path.child("envFrom")),
    ...validateVolumeMounts(container, volumes, path.child("volumeMounts")),
    ...validateVolumeDevices(container, volumes, path.child("volumeDevices")),
    ...oneOf(container.imagePullPolicy, ["Always", "IfNotPresent", "Never"], path.child("imagePullPolicy")),
    ...validateResources(container.resources, path.child("resources")),
    ...validateResizePolicy(container, restarts, path.child("resizePolicy")),
    ...validateSecurityContext(container.securityContext, path.child("securityContext")),
  ];
}
