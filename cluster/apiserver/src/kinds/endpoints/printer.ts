import { isIPv6 } from "node:net";
import { Endpoints } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { shortList } from "../../tables/text-cells.ts";

/** `kubectl get endpoints`. */
export const endpointsPrinter = printerOf(
  Endpoints,
  [nameColumn, column("Endpoints", "Addresses and ports of the service's pods that are ready."), ageColumn],
  (endpoints, now) => [
    endpoints.metadata?.name,
    endpointsCell(endpoints),
    age(endpoints.metadata?.creationTimestamp, now),
  ],
);

function endpointsCell({ subsets }: Decoded<Endpoints>): string {
  if (subsets === undefined || subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) => {
    const ips = addresses.map(({ ip = "" }) => ip);
    if (ports.length === 0) return ips;
    return ports.flatMap(({ port = 0 }) => ips.map((ip) => `${isIPv6(ip) ? `[${ip}]` : ip}:${port}`));
  });
  return shortList(all, { most: 3, none: "" });
}
