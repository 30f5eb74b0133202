import type { NodeFacts } from "../node/node-object.ts";

/** What tells simulated nodes from others. */
const simulatedLabel = "kedge.dev/simulated";

/** More than tests ask for. */
export const simulatedCapacity: Readonly<Record<string, string>> = {
  cpu: "1000",
  memory: "4Ti",
  "ephemeral-storage": "4Ti",
  pods: "10000",
};

/** What a node without a machine says of itself. */
export function simulatedFacts(node: {
  readonly name: string;
  readonly address: string;
  readonly capacity: Readonly<Record<string, string>>;
  readonly version: string;
  readonly podCIDR?: string | undefined;
  /** Where its API listens. Default: nowhere. */
  readonly port?: number | undefined;
}): NodeFacts {
  const { name, address, capacity, version, podCIDR, port = 10_250 } = node;
  return {
    name,
    labels: { [simulatedLabel]: "true" },
    address,
    capacity,
    allocatable: capacity,
    podCIDR,
    port,
    info: {
      machineID: name,
      systemUUID: name,
      bootID: name,
      kernelVersion: "simulated",
      osImage: "simulated",
      containerRuntimeVersion: version,
      kubeletVersion: "v1.36.0+simulated",
      kubeProxyVersion: "",
      operatingSystem: "linux",
      architecture: "amd64",
    },
  };
}
