import type { HostPort } from "@kedge/network";
import { containersOf, initContainersOf } from "../model/spec-of.ts";
import type { ApiPod } from "../model/types.ts";

/** The ports of the node at which a pod answers. On the node's own network they need no leading. */
export function hostPortsOf(pod: ApiPod): readonly HostPort[] {
  if (pod.spec?.hostNetwork === true) return [];
  const sidecars = initContainersOf(pod).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...sidecars, ...containersOf(pod)]
    .flatMap(({ ports }) => ports ?? [])
    .flatMap(({ hostPort = 0, containerPort, protocol = "TCP", hostIP = "" }) => {
      const known = protocols.get(protocol);
      if (hostPort === 0 || known === undefined) return [];
      const isEverywhere = hostIP === "" || hostIP === "0.0.0.0";
      return { protocol: known, port: hostPort, containerPort, ...(!isEverywhere && { address: hostIP }) };
    });
}

const protocols: ReadonlyMap<string, HostPort["protocol"]> = new Map([
  ["TCP", "tcp"],
  ["UDP", "udp"],
  ["SCTP", "sctp"],
]);
