import {
  fieldInvalid,
  fieldPath,
  internalError,
  invalid,
  type FieldError,
  type StatusError,
} from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import type { ServiceSpec } from "@kedge/machinery/kinds/core/v1";
import type { ApiObject, StoredApiObject, WriteContext } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { AllocationError, type ServiceAllocator } from "./allocator.ts";
import { initFamilies } from "./families.ts";
import { keepAllocated, needsAddress, needsHealthCheckPort, needsNodePorts } from "./service-fields.ts";

/** Gives a service the addresses and ports that its type needs, or keeps those that it has. In place. */
export function allocate(
  object: ApiObject,
  previous: StoredApiObject | undefined,
  { allocator, context }: { readonly allocator: ServiceAllocator; readonly context: WriteContext },
): void {
  const service = decodedAs(Service, object);
  const spec = (service.spec ??= {});
  const before = previous === undefined ? undefined : decodedAs(Service, previous).spec;
  if (before !== undefined) keepAllocated(spec, before);
  normalizeAddresses(spec, before);
  const refuse = (errors: readonly FieldError[]): StatusError =>
    invalid(Service, object.metadata.name ?? "", errors);
  initFamilies(spec, before, refuse);
  const tools = { allocator, context, refuse, taken: [] };
  if (needsNewAddress(spec, before)) allocateAddresses(spec, tools);
  if (needsNodePorts(spec)) allocatePorts(spec, before, tools);
  if (needsHealthCheckPort(spec) && !(before !== undefined && needsHealthCheckPort(before)))
    allocateHealthCheckPort(spec, tools);
}

interface Tools {
  readonly allocator: ServiceAllocator;
  readonly context: WriteContext;
  readonly refuse: (errors: readonly FieldError[]) => StatusError;
  /** Node ports that this write has got. */
  readonly taken: number[];
}

/** `clusterIP` is the first of `clusterIPs`; a writer that knows only the one changes both. */
function normalizeAddresses(spec: Decoded<ServiceSpec>, before: Decoded<ServiceSpec> | undefined): void {
  if (before === undefined) {
    if (spec.clusterIP !== undefined && spec.clusterIPs === undefined) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  if (before.clusterIP === spec.clusterIP) {
    if (spec.clusterIPs === undefined && before.clusterIPs !== undefined && needsAddress(spec))
      spec.clusterIPs = [...before.clusterIPs];
    return;
  }
  if (!sameList(before.clusterIPs, spec.clusterIPs)) return;
  if (spec.clusterIP === undefined) delete spec.clusterIPs;
  else spec.clusterIPs = [spec.clusterIP];
}

function sameList(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return (a ?? []).join(" ") === (b ?? []).join(" ");
}

function needsNewAddress(spec: Decoded<ServiceSpec>, before: Decoded<ServiceSpec> | undefined): boolean {
  if (!needsAddress(spec) || spec.clusterIPs?.[0] === "None") return false;
  return before === undefined || !needsAddress(before);
}

/** Only IPv4 is served, so there is one address, or two when a writer asked for two: the second is refused before. */
function allocateAddresses(spec: Decoded<ServiceSpec>, { allocator, context, refuse }: Tools): void {
  const asked = spec.clusterIPs?.[0];
  try {
    if (asked === undefined) spec.clusterIPs = [allocator.nextAddress(context)];
    else allocator.takeAddress(asked, context);
    spec.clusterIP = spec.clusterIPs?.[0];
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    const why =
      asked === undefined
        ? `failed to allocate IP: ${error.message}`
        : `failed to allocate IP ${asked}: ${error.message}`;
    throw refuse([fieldInvalid(fieldPath("spec", "clusterIPs"), spec.clusterIPs ?? null, why)]);
  }
}

function allocatePorts(
  spec: Decoded<ServiceSpec>,
  before: Decoded<ServiceSpec> | undefined,
  tools: Tools,
): void {
  const { allocator, context, refuse } = tools;
  const known = new Set((before?.ports ?? []).map((port) => port.nodePort ?? 0));
  const wantsAll = spec.type === "NodePort" || spec.allocateLoadBalancerNodePorts === true;
  // Ports with the same number, of different protocols, share a node port when the service is new.
  const byPort = new Map<number, number>();
  for (const port of before === undefined ? (spec.ports ?? []) : [])
    if (port.nodePort !== undefined) byPort.set(port.port ?? 0, port.nodePort);
  for (const [i, port] of (spec.ports ?? []).entries()) {
    if (port.nodePort === undefined && !wantsAll) continue;
    const nodePort = port.nodePort ?? byPort.get(port.port ?? 0);
    if (nodePort !== undefined) {
      port.nodePort = nodePort;
      if (known.has(nodePort)) continue;
      const path = fieldPath("spec", "ports").index(i).child("nodePort");
      take(
        () => {
          allocator.takePort(nodePort, context);
        },
        (why) => refuse([fieldInvalid(path, nodePort, why)]),
      );
      tools.taken.push(nodePort);
    } else {
      port.nodePort = nextPort(tools);
      if (before === undefined) byPort.set(port.port ?? 0, port.nodePort);
    }
    known.add(port.nodePort);
  }
}

function allocateHealthCheckPort(spec: Decoded<ServiceSpec>, tools: Tools): void {
  const asked = spec.healthCheckNodePort;
  if (asked === undefined) {
    spec.healthCheckNodePort = nextPort(tools);
    return;
  }
  take(
    () => {
      tools.allocator.takePort(asked, tools.context);
    },
    (why) => internalError(new Error(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`)),
  );
}

function nextPort({ allocator, context, taken }: Tools): number {
  // What is only tried gets one that nobody can have, as from the real server.
  const port = context.dryRun
    ? taken.reduce((one, other) => Math.max(one, other), taken[0] ?? endOfPorts) + 1
    : take(
        () => allocator.nextPort(context),
        (why) => internalError(new Error(`failed to allocate a nodePort: ${why}`)),
      );
  taken.push(port);
  return port;
}

const endOfPorts = 32_768;

function take<T>(action: () => T, refuse: (why: string) => StatusError): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof AllocationError) throw refuse(error.message);
    throw error;
  }
}
