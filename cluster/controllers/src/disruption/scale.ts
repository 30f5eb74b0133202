import type { Client } from "@kedge/client";
import {
  apiVersionOf,
  controllerOf,
  ifFound,
  isJsonObject,
  parseApiVersion,
  type DeepReadonly,
  type OwnerReference,
} from "@kedge/machinery";
import { Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ReconcileContext } from "@kedge/runtime";
import { servedKind } from "../served-kinds.ts";

/** How many pods the owners of some pods want. */
export interface ExpectedScale {
  readonly scale: number;
  /** Pods that nobody controls. */
  readonly unmanaged: readonly string[];
}

type Context = Pick<ReconcileContext<unknown>, "read" | "client">;

/** The sizes of all owners of these pods together. Throws when an owner of one has none. */
export async function expectedScale(
  context: Context,
  pods: readonly DeepReadonly<Pod>[],
): Promise<ExpectedScale> {
  const sizes = new Map<string, Promise<Sized | undefined>>();
  const unmanaged: string[] = [];
  const wanted = new Map<string, number>();
  for (const pod of pods) {
    const { namespace, name } = pod.metadata;
    const owner = controllerOf(pod);
    if (owner === undefined) {
      unmanaged.push(name);
      continue;
    }
    const size = sizes.get(owner.uid) ?? sizeOf(context, namespace, owner);
    sizes.set(owner.uid, size);
    const found = await size;
    if (found === undefined) throw new Error(`found no controllers for pod ${JSON.stringify(name)}`);
    wanted.set(found.uid, found.replicas);
  }
  return { scale: [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}

/** An owner and its size. */
interface Sized {
  readonly uid: string;
  readonly replicas: number;
}

/** From the caches where we have them, else by the owner's scale. A deployment is the owner of its replica sets' pods. */
async function sizeOf(
  { read, client }: Context,
  namespace: string,
  owner: DeepReadonly<OwnerReference>,
): Promise<Sized | undefined> {
  const { name, uid } = owner;
  const { group } = parseApiVersion(owner.apiVersion);
  const isOurs = group === ReplicaSet.group;
  if (isOurs && owner.kind === ReplicaSet.kind) {
    const set = read(ReplicaSet).get({ namespace, name });
    const parent = set?.metadata.uid === uid ? controllerOf(set) : undefined;
    if (parent?.kind === Deployment.kind) {
      const deployment = read(Deployment).get({ namespace, name: parent.name });
      if (deployment?.metadata.uid === parent.uid) return sized(deployment);
    } else if (set?.metadata.uid === uid) return sized(set);
  }
  if (isOurs && owner.kind === StatefulSet.kind) {
    const set = read(StatefulSet).get({ namespace, name });
    if (set?.metadata.uid === uid) return sized(set);
  }
  return await scaleOf(client, namespace, owner);
}

function sized({
  metadata,
  spec,
}: {
  readonly metadata: { readonly uid: string };
  readonly spec: { readonly replicas?: number | undefined };
}): Sized {
  return { uid: metadata.uid, replicas: spec.replicas ?? 1 };
}

async function scaleOf(
  client: Client,
  namespace: string,
  owner: DeepReadonly<OwnerReference>,
): Promise<Sized | undefined> {
  const wanted = { ...parseApiVersion(owner.apiVersion), kind: owner.kind };
  const kind = await servedKind(client, wanted);
  if (kind === undefined)
    throw new Error(
      `no matches for kind ${JSON.stringify(owner.kind)} in version ${JSON.stringify(owner.apiVersion)}`,
    );
  const resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
  if (!kind.subresources.includes("scale"))
    throw new Error(`${resource} does not implement the scale subresource`);
  const root = kind.group === "" ? "api" : "apis";
  const path = `/${root}/${apiVersionOf(kind)}/namespaces/${namespace}/${kind.plural}/${owner.name}/scale`;
  const scale = await ifFound(client.getJson(path));
  const { metadata, spec } = isJsonObject(scale) ? scale : {};
  if (!isJsonObject(metadata) || metadata["uid"] !== owner.uid) return undefined;
  const replicas = isJsonObject(spec) ? spec["replicas"] : undefined;
  return { uid: owner.uid, replicas: typeof replicas === "number" ? replicas : 0 };
}
