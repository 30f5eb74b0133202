import { isNotFound, type DeepReadonly, type ObjectKey } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";

/**
 * Why there was nothing to run redis-cli in: no pod, or one whose server does not run. Asked of the pod itself, because
 * servers answer differently when a container is not there. Undefined: the server runs, so it was something else.
 */
export async function whyNotRun(
  pods: { get(key: ObjectKey): Promise<DeepReadonly<Pick<Pod, "status">>> },
  key: ObjectKey & { readonly namespace: string },
  container: string,
): Promise<string | undefined> {
  const { namespace, name } = key;
  try {
    const { status } = await pods.get(key);
    const found = status?.containerStatuses?.find((each) => each.name === container);
    if (found?.state?.running !== undefined) return undefined;
    return `the server in pod ${namespace}/${name} does not run. \`kubectl get redisinstances -n ${namespace} -o wide\` says why.`;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return `there is no pod ${namespace}/${name}. \`kubectl get redisinstances -A\` shows what there is.`;
  }
}
