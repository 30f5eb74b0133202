import { Service } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import type { Random } from "@kedge/machinery";
import { lookUp, lookUpAll } from "../registry/lookup.ts";
import type { Decoded } from "../registry/decoded.ts";
import type { ObjectReader } from "../registry/types.ts";

/** Where something listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Where a Service is served: at one of its ready endpoints. The server asks them directly, as `--enable-aggregator-routing`
 * of Kubernetes does, for it need not be on a node, where addresses of services lead somewhere. Throws why there is none.
 */
export function serviceAddress(
  objects: ObjectReader,
  { namespace, name, port }: { readonly namespace: string; readonly name: string; readonly port: number },
  random: Random,
): Address {
  const service = lookUp(objects, Service, { namespace, name });
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const { type, externalName = "", ports = [] } = service.spec ?? {};
  if (type === "ExternalName") return { host: externalName, port };
  const servicePort = ports.find((each) => each.port === port);
  if (servicePort === undefined)
    throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const addresses = lookUpAll(objects, EndpointSlice, namespace)
    .filter(({ metadata }) => metadata?.labels?.["kubernetes.io/service-name"] === name)
    .flatMap((slice) => addressesIn(slice, servicePort.name ?? ""));
  const chosen = addresses.length === 0 ? undefined : addresses[random.int(addresses.length)];
  if (chosen === undefined) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
  return chosen;
}

function addressesIn({ endpoints, ports }: Decoded<EndpointSlice>, portName: string): readonly Address[] {
  const port = (ports ?? []).find(({ name }) => (name ?? "") === portName)?.port;
  if (port === undefined) return [];
  return (endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => (addresses ?? []).map((host) => ({ host, port })));
}
