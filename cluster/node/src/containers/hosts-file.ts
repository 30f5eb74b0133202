import type { ApiPod } from "../model/types.ts";
import type { PodNames } from "./hostname.ts";

/** The text of a pod's `/etc/hosts`. Undefined for pods on the host's network: they see the host's own. */
export function hostsFile(pod: ApiPod, names: PodNames, podAddress: string): string | undefined {
  if (pod.spec?.hostNetwork === true) return undefined;
  const short = names.hostname.split(".")[0] ?? names.hostname;
  const own = names.fullName === undefined ? names.hostname : `${names.fullName}\t${short}`;
  const aliases = pod.spec?.hostAliases ?? [];
  return [
    "# Kubernetes-managed hosts file.",
    "127.0.0.1\tlocalhost",
    "::1\tlocalhost ip6-localhost ip6-loopback",
    "fe00::0\tip6-localnet",
    "fe00::0\tip6-mcastprefix",
    "fe00::1\tip6-allnodes",
    "fe00::2\tip6-allrouters",
    `${podAddress}\t${own}`,
    ...(aliases.length === 0 ? [] : ["", "# Entries added by HostAliases."]),
    ...aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join("\t")}`),
    "",
  ].join("\n");
}
