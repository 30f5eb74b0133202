import type { DeepReadonly } from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import type { Informers } from "@kedge/runtime";
import { serviceNameLabel } from "../proxy/service-endpoints.ts";

/** What names are answered from. */
export interface ClusterNames {
  /** Whether all of them have been read. Before that nobody knows that a name is not there. */
  isComplete(): boolean;
  service(namespace: string, name: string): DeepReadonly<Service> | undefined;
  slices(namespace: string, service: string): readonly DeepReadonly<EndpointSlice>[];
  /** The service that has this address of its own. */
  serviceAt(address: string): DeepReadonly<Service> | undefined;
  slicesAt(address: string): readonly DeepReadonly<EndpointSlice>[];
}

/** The names of a cluster, from its caches. */
export function clusterNames(informers: Informers): ClusterNames {
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  services.addIndex("address", ({ spec }) => (spec?.clusterIP === undefined ? [] : [spec.clusterIP]));
  slices.addIndex("service", ({ metadata }) => [
    `${metadata.namespace}/${metadata.labels?.[serviceNameLabel] ?? ""}`,
  ]);
  slices.addIndex("address", ({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses));
  return {
    isComplete: () => services.isSynced && slices.isSynced,
    service: (namespace, name) => services.get({ namespace, name }),
    slices: (namespace, service) => slices.byIndex("service", `${namespace}/${service}`),
    serviceAt: (address) => services.byIndex("address", address)[0],
    slicesAt: (address) => slices.byIndex("address", address),
  };
}
