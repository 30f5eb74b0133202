import { deepEqual, isNotFound } from "@kedge/machinery";
import type { ApiObject, Objects } from "./registry/types.ts";

/** Where pods reach the API server. */
export interface AdvertisedServer {
  readonly address: string;
  readonly port: number;
}

/** Leads the service `kubernetes` to the server, which may have been elsewhere when it ran the last time. */
export async function advertise(objects: Objects, server: AdvertisedServer): Promise<void> {
  const write = async ({ group, object }: Advertisement): Promise<void> => {
    const resource = objects.registry.byKind(group, object.kind);
    if (resource === undefined) return;
    const { metadata: _, ...content } = object;
    const key = { namespace: "default", name: "kubernetes" };
    try {
      await objects.update(resource, key, (current) => {
        const same = Object.entries(content).every(([field, value]) => deepEqual(current[field], value));
        if (!same) Object.assign(current, content);
        return !same;
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await objects.create(resource, object);
    }
  };
  // Writes are synced: both at once take as long as one.
  await Promise.all(endpointsOf(server).map(write));
}

interface Advertisement {
  readonly group: string;
  readonly object: ApiObject;
}

/** Both kinds, as clients of either expect it. Nobody is to make one out of the other. */
function endpointsOf({ address, port }: AdvertisedServer): readonly Advertisement[] {
  const named = { name: "kubernetes", namespace: "default" };
  const ports = [{ name: "https", port, protocol: "TCP" }];
  return [
    {
      group: "",
      object: {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { ...named, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
        subsets: [{ addresses: [{ ip: address }], ports }],
      },
    },
    {
      group: "discovery.k8s.io",
      object: {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: { ...named, labels: { "kubernetes.io/service-name": "kubernetes" } },
        addressType: "IPv4",
        endpoints: [{ addresses: [address], conditions: { ready: true } }],
        ports,
      },
    },
  ];
}
