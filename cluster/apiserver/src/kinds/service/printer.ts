import { Service } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn, selectorColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { labelsCell } from "../../tables/text-cells.ts";

/** `kubectl get services`. */
export const servicePrinter = printerOf(
  Service,
  [
    nameColumn,
    column("Type", "How the service is reached."),
    column("Cluster-IP", "Address of the service within the cluster."),
    column("External-IP", "Addresses of the service from outside."),
    column("Port(s)", "Ports of the service, with their node ports."),
    ageColumn,
    selectorColumn,
  ],
  (service, now) => [
    service.metadata?.name,
    service.spec?.type ?? "",
    service.spec?.clusterIPs?.[0] ?? "<none>",
    externalCell(service),
    portsCell(service),
    age(service.metadata?.creationTimestamp, now),
    labelsCell(service.spec?.selector),
  ],
);

function externalCell({ spec, status }: Decoded<Service>): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return external.length === 0 ? "<none>" : external.join(",");
    case "LoadBalancer": {
      const ingress = (status?.loadBalancer?.ingress ?? [])
        .map(({ ip = "", hostname = "" }) => (ip === "" ? hostname : ip))
        .filter((address) => address !== "");
      const all = [...new Set(ingress)].toSorted().concat(external);
      return all.length === 0 ? "<pending>" : all.join(",");
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function portsCell({ spec }: Decoded<Service>): string {
  const ports = (spec?.ports ?? []).map(({ port = 0, nodePort = 0, protocol = "" }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return ports.length === 0 ? "<none>" : ports.join(",");
}
