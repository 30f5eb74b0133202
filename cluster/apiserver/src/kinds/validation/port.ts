import {
  fieldDuplicate,
  fieldRequired,
  validatePortName,
  validatePortNumber,
  type FieldError,
  type FieldPath,
  type IntOrString,
} from "@kedge/machinery";
import type { ContainerPort } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named, oneOf } from "./field-rules.ts";

/** A port by its number or its name. */
export function validatePort(port: IntOrString | undefined, path: FieldPath): FieldError[] {
  if (typeof port === "string") return named(port, validatePortName, path);
  return named(port ?? 0, validatePortNumber, path);
}

/** What is wrong with the ports of a container. */
export function validateContainerPorts(
  ports: readonly Decoded<ContainerPort>[],
  path: FieldPath,
): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => [
    ...nameErrors(port.name ?? "", names, path.index(i).child("name")),
    ...numberErrors(port, path.index(i)),
    ...oneOf(port.protocol, protocols, path.index(i).child("protocol")),
  ]);
}

/** In the order in which Kubernetes names them. */
export const protocols: readonly string[] = ["SCTP", "TCP", "UDP"];

function nameErrors(name: string, names: Set<string>, path: FieldPath): FieldError[] {
  if (name === "") return [];
  const errors = named(name, validatePortName, path);
  if (errors.length > 0) return errors;
  if (names.has(name)) return [fieldDuplicate(path, name)];
  names.add(name);
  return [];
}

function numberErrors(
  { containerPort = 0, hostPort = 0 }: Decoded<ContainerPort>,
  path: FieldPath,
): FieldError[] {
  return [
    ...(containerPort === 0
      ? [fieldRequired(path.child("containerPort"))]
      : named(containerPort, validatePortNumber, path.child("containerPort"))),
    ...(hostPort === 0 ? [] : named(hostPort, validatePortNumber, path.child("hostPort"))),
  ];
}
