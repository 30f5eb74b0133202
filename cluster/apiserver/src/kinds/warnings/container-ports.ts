import type { FieldPath } from "@kedge/machinery";
import type { Container, ContainerPort } from "@kedge/machinery/kinds/core/v1";
import type { Sent } from "../sent.ts";

/** A container, and where it is. */
export interface PlacedContainer {
  readonly container: Sent<Container>;
  readonly at: FieldPath;
}

/** Ports of a pod's containers that are there twice, or in each other's way. */
export function portWarnings(placed: readonly PlacedContainer[]): string[] {
  const ports = placed.flatMap(({ container, at }) =>
    (container.ports ?? []).map((port, i) => ({ port, at: at.child("ports").index(i).toString() })),
  );
  return [
    ...ports.flatMap(({ port, at }, i) => [
      ...((port.hostIP ?? "") !== "" && (port.hostPort ?? 0) === 0
        ? [`${at}: hostIP set without hostPort: ${goText(port)}`]
        : []),
      ...ports
        .slice(0, i)
        .flatMap((other) =>
          conflictOf(port, other.port).map((fault) => `${at}: ${fault} port definition with ${other.at}`),
        ),
    ]),
    ...sameNames(ports),
  ];
}

function conflictOf(port: Sent<ContainerPort>, other: Sent<ContainerPort>): string[] {
  if (port.containerPort !== other.containerPort || port.protocol !== other.protocol) return [];
  const [ip, otherIp] = [port.hostIP ?? "", other.hostIP ?? ""];
  const [number, otherNumber] = [port.hostPort ?? 0, other.hostPort ?? 0];
  if (ip === otherIp && number === otherNumber) return ["duplicate"];
  if (number === 0 || otherNumber === 0) return ["overlapping"];
  return number === otherNumber && (ip === "") !== (otherIp === "") ? ["dangerously ambiguous"] : [];
}

function sameNames(ports: readonly { readonly port: Sent<ContainerPort>; readonly at: string }[]): string[] {
  return ports.flatMap(({ port, at }, i) => {
    const first = ports.find((other) => (port.name ?? "") !== "" && other.port.name === port.name);
    if (first === undefined || ports.indexOf(first) === i) return [];
    const name = JSON.stringify(port.name);
    return [
      `${at}: duplicate port name ${name} with ${first.at}, services and probes that select ports by name will use ${first.at}`,
    ];
  });
}

/** As Go prints the struct. */
function goText({
  name = "",
  hostPort = 0,
  containerPort = 0,
  protocol = "",
  hostIP = "",
}: Sent<ContainerPort>): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}
