import { isNotFound, type ObjectKey } from "@kedge/machinery";

/** Why there was nothing to run redis-cli in: no pod, or one whose server does not run, of which nodes say the same. */
export async function whyNotFound(
  pods: { get(key: ObjectKey): Promise<unknown> },
  key: ObjectKey & { readonly namespace: string },
): Promise<string> {
  const { namespace, name } = key;
  try {
    await pods.get(key);
    return `the server in pod ${namespace}/${name} does not run. \`kubectl get redisinstances -n ${namespace} -o wide\` says why.`;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return `there is no pod ${namespace}/${name}. \`kubectl get redisinstances -A\` shows what there is.`;
  }
}
