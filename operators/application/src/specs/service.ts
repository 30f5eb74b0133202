import type { ApplyObject } from "@kedge/client";
import type { DeepReadonly } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { Application } from "../kind.ts";
import { labelsOf } from "../names.ts";
import { portName } from "./pod-spec.ts";

/** The Service that reaches the application; undefined when it listens on no port. */
export function serviceOf({
  metadata,
  spec,
}: Pick<DeepReadonly<Application>, "metadata" | "spec">): ApplyObject<Service> | undefined {
  const { port, network } = spec;
  if (port === undefined) return undefined;
  const { namespace, name } = metadata;
  const ranges = network.serviceType === "LoadBalancer" ? (network.loadBalancer?.sourceRanges ?? []) : [];
  return {
    metadata: { namespace, name, labels: labelsOf(name) },
    spec: {
      type: network.serviceType,
      selector: labelsOf(name),
      ports: [{ name: portName, port, targetPort: portName, protocol: "TCP" }],
      ...(ranges.length > 0 && { loadBalancerSourceRanges: [...ranges] }),
    },
  };
}
