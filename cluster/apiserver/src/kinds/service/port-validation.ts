import {
  fieldDuplicate,
  fieldRequired,
  validateDns1123Label,
  validatePortNumber,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { ServicePort } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named, oneOf } from "../validation/field-rules.ts";
import { protocols, validatePort } from "../validation/port.ts";

/** What is wrong with the ports of a service. */
export function validateServicePorts(ports: readonly Decoded<ServicePort>[], path: FieldPath): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const item = path.index(i);
    return [
      ...nameErrors(port.name ?? "", { names, isRequired: ports.length > 1, path: item.child("name") }),
      ...named(port.port ?? 0, validatePortNumber, item.child("port")),
      ...oneOf(port.protocol, protocols, item.child("protocol")),
      ...validatePort(port.targetPort, item.child("targetPort")),
      ...(port.appProtocol === undefined
        ? []
        : named(port.appProtocol, validateQualifiedName, item.child("appProtocol"))),
    ];
  });
}

function nameErrors(
  name: string,
  {
    names,
    isRequired,
    path,
  }: { readonly names: Set<string>; readonly isRequired: boolean; readonly path: FieldPath },
): FieldError[] {
  if (name === "") return isRequired ? [fieldRequired(path)] : [];
  const isSecond = names.has(name);
  names.add(name);
  return [...named(name, validateDns1123Label, path), ...(isSecond ? [fieldDuplicate(path, name)] : [])];
}
