import { Service } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject, WriteContext } from "../../registry/types.ts";
import { lookUpAll } from "../../registry/lookup.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { parseAddressRange, type AddressRange } from "./address-range.ts";
import { Reservations } from "./reservations.ts";

/** Why an address or port cannot be had, in Kubernetes' words. */
export class AllocationError extends Error {}

/**
 * Gives addresses and node ports to services. What is taken is what stored services have, so there is no second truth
 * that could be wrong after a crash; only what is on its way to the store is kept here.
 */
export class ServiceAllocator {
  readonly range: AddressRange;
  readonly #addresses = new Reservations<string>();
  readonly #ports = new Reservations<number>();

  constructor(serviceRange: string) {
    this.range = parseAddressRange(serviceRange);
  }

  /** Takes a certain address. */
  takeAddress(address: string, context: WriteContext): void {
    if (!this.range.contains(address))
      throw new AllocationError("the provided network does not match the current range");
    if (this.#isAddressTaken(address, takenAddresses(context), context))
      throw new AllocationError("provided IP is already allocated");
    this.#reserve(this.#addresses, address, context);
  }

  /** Takes any address, by chance so that one that was just given back is seldom given at once. */
  nextAddress(context: WriteContext): string {
    const { range } = this;
    const taken = takenAddresses(context);
    const isFree = (position: number): boolean => !this.#isAddressTaken(range.at(position), taken, context);
    const position =
      freeWithin(range.dynamicFrom, range.size, { isFree, context }) ??
      freeWithin(0, range.dynamicFrom, { isFree, context });
    if (position === undefined) throw new AllocationError("range is full");
    const address = range.at(position);
    this.#reserve(this.#addresses, address, context);
    return address;
  }

  /** Takes a certain node port. */
  takePort(port: number, context: WriteContext): void {
    if (port < firstPort || port >= endPort) {
      throw new AllocationError(
        `provided port is not in the valid range. The range of valid ports is ${firstPort}-${endPort - 1}`,
      );
    }
    if (this.#isPortTaken(port, takenPorts(context), context))
      throw new AllocationError("provided port is already allocated");
    this.#reserve(this.#ports, port, context);
  }

  /** Takes any node port. */
  nextPort(context: WriteContext): number {
    const taken = takenPorts(context);
    const isFree = (port: number): boolean => !this.#isPortTaken(port, taken, context);
    const port =
      freeWithin(dynamicPort, endPort, { isFree, context }) ??
      freeWithin(firstPort, dynamicPort, { isFree, context });
    if (port === undefined) throw new AllocationError("range is full");
    this.#reserve(this.#ports, port, context);
    return port;
  }

  /** Ends the reservations of a service that was stored, and so holds its addresses itself, or that was refused. */
  endReservation(object: StoredApiObject): void {
    const { spec } = decodedAs(Service, object);
    for (const address of spec?.clusterIPs ?? []) this.#addresses.remove(address);
    for (const port of portsOf(decodedAs(Service, object))) this.#ports.remove(port);
  }

  #isAddressTaken(address: string, taken: ReadonlySet<string>, { clock }: WriteContext): boolean {
    return taken.has(address) || this.#addresses.has(address, clock);
  }

  #isPortTaken(port: number, taken: ReadonlySet<number>, { clock }: WriteContext): boolean {
    return taken.has(port) || this.#ports.has(port, clock);
  }

  #reserve<T>(reservations: Reservations<T>, value: T, { clock, dryRun }: WriteContext): void {
    if (!dryRun) reservations.add(value, clock);
  }
}

const firstPort = 30_000;
const endPort = 32_768;
/** Ports below are left to those who ask for a certain one. */
const dynamicPort = 30_086;

function takenAddresses({ objects }: WriteContext): ReadonlySet<string> {
  return new Set(lookUpAll(objects, Service).flatMap(({ spec }) => spec?.clusterIPs ?? []));
}

function takenPorts({ objects }: WriteContext): ReadonlySet<number> {
  return new Set(lookUpAll(objects, Service).flatMap(portsOf));
}

function portsOf({ spec }: Decoded<Service>): number[] {
  const ports = (spec?.ports ?? []).map((port) => port.nodePort ?? 0);
  return [...ports, spec?.healthCheckNodePort ?? 0].filter((port) => port > 0);
}

/** The first free position after one that chance chose, once around. */
function freeWithin(
  from: number,
  to: number,
  { isFree, context }: { readonly isFree: (position: number) => boolean; readonly context: WriteContext },
): number | undefined {
  const count = to - from;
  if (count <= 0) return undefined;
  const start = context.random.int(count);
  for (let i = 0; i < count; i++) {
    const position = from + ((start + i) % count);
    if (isFree(position)) return position;
  }
  return undefined;
}
