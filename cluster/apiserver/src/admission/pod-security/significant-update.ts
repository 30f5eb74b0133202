import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";

/** Whether an update of a pod changes what it runs: it is judged again only then. */
export function isSignificantUpdate(pod: Decoded<Pod>, previous: Decoded<Pod>): boolean {
  const ephemeral = pod.spec?.ephemeralContainers ?? [];
  const before = previous.spec?.ephemeralContainers ?? [];
  return (
    isOther(pod.spec?.containers, previous.spec?.containers) ||
    isOther(pod.spec?.initContainers, previous.spec?.initContainers) ||
    ephemeral.some(({ name, image }) => before.find((each) => each.name === name)?.image !== image)
  );
}

interface Image {
  readonly image?: string | undefined;
}

function isOther(containers: readonly Image[] = [], before: readonly Image[] = []): boolean {
  return containers.length !== before.length || containers.some(({ image }, i) => image !== before[i]?.image);
}
