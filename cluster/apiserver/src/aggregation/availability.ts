import { Service } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { lookUp, lookUpAll } from "../registry/lookup.ts";
import type { ObjectReader } from "../registry/types.ts";
import type { RemoteService } from "./types.ts";

/** Whether a remote group version is available, and why. */
export interface Availability {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** It has answered. */
export const passed: Availability = { status: "True", reason: "Passed", message: "all checks passed" };

/** It was asked, and did not answer well. */
export function failedDiscovery(message: string): Availability {
  return { status: "False", reason: "FailedDiscoveryCheck", message };
}

/** Why it need not even be asked; undefined: it has to be. In the words of kube-aggregator. */
export function whyUnavailable(objects: ObjectReader, { service }: RemoteService): Availability | undefined {
  const { namespace, name, port } = service;
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  const { spec } = lookUp(objects, Service, { namespace, name }) ?? {};
  if (spec === undefined) return no("ServiceNotFound", `${where} is not present`);
  if (spec.type !== "ClusterIP") return undefined;
  const found = (spec.ports ?? []).find((each) => each.port === port);
  if (found === undefined) return no("ServicePortError", `${where} is not listening on port ${port}`);
  const slices = lookUpAll(objects, EndpointSlice, namespace).filter(
    ({ metadata }) => metadata?.labels?.["kubernetes.io/service-name"] === name,
  );
  if (slices.length === 0) return no("EndpointsNotFound", `cannot find endpointslices for ${where}`);
  const portName = found.name ?? "";
  const hasReady = slices.some(
    ({ endpoints, ports }) =>
      (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false) &&
      (ports ?? []).some((each) => (each.name ?? "") === portName && each.port !== undefined),
  );
  if (hasReady) return undefined;
  const without = `have no addresses with port name ${JSON.stringify(portName)}`;
  return no("MissingEndpoints", `endpointslices for ${where} ${without}`);
}

function no(reason: string, message: string): Availability {
  return { status: "False", reason, message };
}
