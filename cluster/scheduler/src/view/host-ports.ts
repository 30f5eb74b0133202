import type { DeepReadonly } from "@kedge/machinery";
import type { Container, Pod } from "@kedge/machinery/kinds/core/v1";

/** A port of the machine itself. It can be had only once per address. */
export interface HostPort {
  /** `TCP/80` */
  readonly port: string;
  readonly address: string;
}

const everywhere = "0.0.0.0";
const none: readonly HostPort[] = [];

/** The ports of the machine that a pod wants for as long as it runs. */
export function hostPortsOf({ spec }: DeepReadonly<Pod>): readonly HostPort[] {
  const sidecars = spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always") ?? [];
  const containers: readonly DeepReadonly<Container>[] =
    sidecars.length === 0 ? spec.containers : [...sidecars, ...spec.containers];
  if (containers.every(({ ports }) => ports === undefined)) return none;
  return containers
    .flatMap(({ ports }) => ports ?? [])
    .filter(({ hostPort }) => (hostPort ?? 0) > 0)
    .map(({ hostPort, hostIP = "", protocol = "TCP" }) => ({
      port: `${protocol}/${hostPort}`,
      address: hostIP === "" ? everywhere : hostIP,
    }));
}

/** Whether two lists of ports want the same one. */
export function hostPortsClash(wanted: readonly HostPort[], taken: readonly HostPort[]): boolean {
  return taken.some((other) =>
    wanted.some(
      ({ port, address }) =>
        port === other.port &&
        (address === other.address || address === everywhere || other.address === everywhere),
    ),
  );
}
