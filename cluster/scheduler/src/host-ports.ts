import type { DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";

/** Whether a pod wants a port of the machine itself that another there has: these can be had only once per address. */
export function hostPortsClash(pod: DeepReadonly<Pod>, others: Iterable<DeepReadonly<Pod>>): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return false;
  return Array.from(others)
    .flatMap(hostPorts)
    .some((taken) =>
      wanted.some(
        ({ port, address }) =>
          port === taken.port &&
          (address === taken.address || address === everywhere || taken.address === everywhere),
      ),
    );
}

const everywhere = "0.0.0.0";

interface HostPort {
  /** `TCP/80` */
  readonly port: string;
  readonly address: string;
}

function hostPorts({ spec }: DeepReadonly<Pod>): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...spec.containers, ...sidecars]
    .flatMap(({ ports }) => ports ?? [])
    .filter(({ hostPort }) => (hostPort ?? 0) > 0)
    .map(({ hostPort, hostIP = "", protocol = "TCP" }) => ({
      port: `${protocol}/${hostPort}`,
      address: hostIP === "" ? everywhere : hostIP,
    }));
}
