import { Ingress, type IngressRule } from "@kedge/machinery/kinds/networking/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

const mostHosts = 3;

/** `kubectl get ingresses`. */
export const ingressPrinter = printerOf(
  Ingress,
  [
    nameColumn,
    column("Class", "The class that says who serves it."),
    column("Hosts", "The hosts that requests are for."),
    column("Address", "Where it is served."),
    column("Ports", "The ports that it is served at."),
    ageColumn,
  ],
  ({ metadata, spec, status }, now) => [
    metadata?.name,
    spec?.ingressClassName ?? "<none>",
    hostsOf(spec?.rules ?? []),
    addressesOf((status?.loadBalancer?.ingress ?? []).map(({ ip = "", hostname = "" }) => ip || hostname)),
    (spec?.tls ?? []).length > 0 ? "80, 443" : "80",
    age(metadata?.creationTimestamp, now),
  ],
);

/** Rules without a host are counted with those that are not shown. */
function hostsOf(rules: readonly Decoded<IngressRule>[]): string {
  const hosts: string[] = [];
  let hasMore = false;
  for (const { host = "" } of rules) {
    if (hosts.length === mostHosts) hasMore = true;
    if (!hasMore && host !== "") hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return hasMore ? `${hosts.join()} + ${rules.length - mostHosts} more...` : hosts.join();
}

function addressesOf(addresses: readonly string[]): string {
  return [...new Set(addresses.filter((address) => address !== ""))].toSorted().join();
}
