import type { DeepReadonly } from "@kedge/machinery";
import type { AppArmorProfile } from "@kedge/machinery/kinds/core/v1";
import { containersOf, initContainersOf } from "../model/spec-of.ts";
import type { ApiPod, ContainerDefinition } from "../model/types.ts";

/** The name of the loaded profile that a container asks for; privileged ones are not confined. */
export function appArmorProfileOf(pod: ApiPod, container: ContainerDefinition): string | undefined {
  if (container.securityContext?.privileged === true) return undefined;
  const { type, localhostProfile } = askedFor(pod, container) ?? {};
  return type === "Localhost" ? localhostProfile : undefined;
}

/** Why AppArmor cannot do what a pod asks of it, in the kubelet's words; undefined: it can, or need not. */
export function appArmorRefusal(pod: ApiPod, isEnabled: boolean): string | undefined {
  const asked = [...initContainersOf(pod), ...containersOf(pod)].flatMap(
    (container) => askedFor(pod, container)?.type ?? [],
  );
  if (asked.every((type) => type === "Unconfined")) return undefined;
  if (!isEnabled) return "Cannot enforce AppArmor: AppArmor is not enabled on the host";
  if (!asked.includes("RuntimeDefault")) return undefined;
  return "Cannot enforce AppArmor: this node has no default profile: use Localhost with a loaded one, or Unconfined";
}

/** An annotation of old means the same, where the field is not set. */
function askedFor(pod: ApiPod, container: ContainerDefinition): DeepReadonly<AppArmorProfile> | undefined {
  const own = container.securityContext?.appArmorProfile ?? pod.spec?.securityContext?.appArmorProfile;
  if (own !== undefined) return own;
  const annotation = pod.metadata.annotations?.[`${annotationPrefix}${container.name}`];
  if (annotation === undefined || annotation === "") return undefined;
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (!annotation.startsWith(localhost)) return { type: "RuntimeDefault" };
  return { type: "Localhost", localhostProfile: annotation.slice(localhost.length) };
}

const annotationPrefix = "container.apparmor.security.beta.kubernetes.io/";
const localhost = "localhost/";
