import type { FieldPath } from "@kedge/machinery";
import type { Container, ContainerPort } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";

/** A container, and where it is. */
export interface PlacedContainer {
  readonly container: Decoded<Container>;
  readonly at: FieldPath;
}

/** Ports of a pod's containers that are there twice, or in each other's way. */
export function portWarnings(placed: readonly PlacedContainer[]): string[] {
  const ports = placed
    .flatMap(({ container, at }) =>
      (container.ports ?? []).map((port, i) => ({ port, at: at.child("ports").index(i).toString() })),
    )
    .map((port, index) => ({ ...port, index }));
  const texts: string[] = [];
  const earlier = new Map<string, PlacedPort[]>();
  for (const placedPort of ports) {
    const { port, at } = placedPort;
    if ((port.hostIP ?? "") !== "" && (port.hostPort ?? 0) === 0)
      texts.push(`${at}: hostIP set without hostPort: ${goStruct(port)}`);
    const others = groupsToSearch(port).flatMap((group) => earlier.get(group) ?? []);
    for (const other of others.toSorted((one, two) => one.index - two.index))
      for (const fault of conflictOf(port, other.port))
        texts.push(`${at}: ${fault} port definition with ${other.at}`);
    for (const group of groupsToJoin(port)) {
      const same = earlier.get(group);
      if (same === undefined) earlier.set(group, [placedPort]);
      else same.push(placedPort);
    }
    if (texts.length >= mostWarnings) break;
  }
  return [...texts, ...sameNames(ports)];
}

/** The groups in which later ports find this one: all of its number, and those at the same place on the host. */
function groupsToJoin({
  containerPort = 0,
  protocol = "",
  hostPort = 0,
  hostIP = "",
}: Decoded<ContainerPort>): string[] {
  const number = `${containerPort}/${protocol}`;
  if (hostPort === 0) return [number, `${number} anywhere`];
  const place = `${number} ${hostPort}`;
  return hostIP === "" ? [number, `${place} all`] : [number, `${place} some`, `${place} ${hostIP}`];
}

/** The groups in which a port finds earlier ones that conflict with it. */
function groupsToSearch({
  containerPort = 0,
  protocol = "",
  hostPort = 0,
  hostIP = "",
}: Decoded<ContainerPort>): string[] {
  const number = `${containerPort}/${protocol}`;
  if (hostPort === 0) return [number];
  const same = hostIP === "" ? [`${number} ${hostPort} all`] : [`${number} ${hostPort} ${hostIP}`];
  return [`${number} anywhere`, ...same, `${number} ${hostPort} ${hostIP === "" ? "some" : "all"}`];
}

/** More are never sent. */
const mostWarnings = 1000;

interface PlacedPort {
  readonly index: number;
  readonly port: Decoded<ContainerPort>;
  readonly at: string;
}

function conflictOf(port: Decoded<ContainerPort>, other: Decoded<ContainerPort>): string[] {
  const [ip, otherIp] = [port.hostIP ?? "", other.hostIP ?? ""];
  const [number, otherNumber] = [port.hostPort ?? 0, other.hostPort ?? 0];
  if (ip === otherIp && number === otherNumber) return ["duplicate"];
  if (number === 0 || otherNumber === 0) return ["overlapping"];
  return number === otherNumber && (ip === "") !== (otherIp === "") ? ["dangerously ambiguous"] : [];
}

function sameNames(ports: readonly PlacedPort[]): string[] {
  const firsts = new Map(ports.toReversed().map((each) => [each.port.name ?? "", each]));
  return ports.flatMap((each) => {
    const { port, at } = each;
    const first = firsts.get(port.name ?? "");
    if ((port.name ?? "") === "" || first === undefined || first === each) return [];
    const name = JSON.stringify(port.name);
    return [
      `${at}: duplicate port name ${name} with ${first.at}, services and probes that select ports by name will use ${first.at}`,
    ];
  });
}

/** As Go prints the struct. */
function goStruct({
  name = "",
  hostPort = 0,
  containerPort = 0,
  protocol = "",
  hostIP = "",
}: Decoded<ContainerPort>): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}
