import { instanceOf, podUidOf } from "../pod/labels.ts";
import { containerOf, runsOf } from "../model/spec-of.ts";
import type { ApiPod, Instance } from "../model/types.ts";
import type { NodeApiContext } from "./context.ts";

/** A request that cannot be answered: an HTTP status and a text. */
export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "RequestError";
    this.status = status;
  }
}

/** Throws for a pod that has no processes, in words that whoever asked gets to read. */
export function refuseSimulated({ isSimulated }: NodeApiContext, pod: ApiPod, result: string): void {
  if (isSimulated !== true) return;
  const { namespace, name } = pod.metadata;
  throw new RequestError(
    400,
    `pod ${namespace}/${name} is simulated: nothing runs in it, so ${result}. ` +
      "Pods are real in a cluster that root has started with `kedge up --runtime runc`.",
  );
}

/** The pod of a name; throws a 404. */
export function findPod(context: NodeApiContext, namespace: string, name: string): ApiPod {
  const found = context
    .pods()
    .filter(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
    // While an old pod goes, a new one of its name may be there: that one is meant. The latest is the last.
    .toReversed()
    .toSorted(
      (a, b) =>
        Number(a.metadata.deletionTimestamp !== undefined) -
        Number(b.metadata.deletionTimestamp !== undefined),
    );
  const [pod] = found;
  if (pod === undefined) throw new RequestError(404, `pod "${name}/${namespace}" not found`);
  return pod;
}

/** The runs of a container, the latest first; throws when the pod has no such container. */
export async function findRuns(
  { runtime }: NodeApiContext,
  pod: ApiPod,
  name: string,
): Promise<readonly Instance[]> {
  if (containerOf(pod, name) === undefined) {
    throw new RequestError(404, `container ${name} is not valid for pod ${pod.metadata.name}`);
  }
  const infos = await runtime.list();
  const ofPod = infos.filter((info) => podUidOf(info) === pod.metadata.uid);
  return runsOf(
    ofPod.map((info) => instanceOf(info, undefined)),
    name,
  );
}

/** The run of a container that is running now; throws when none is. */
export async function findRunning(context: NodeApiContext, pod: ApiPod, name: string): Promise<Instance> {
  const [latest] = await findRuns(context, pod, name);
  if (latest?.state === "running") return latest;
  throw new RequestError(404, `container not found ("${name}")`);
}
