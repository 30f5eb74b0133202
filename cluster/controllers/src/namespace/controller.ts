import { isMethodNotSupported, isNotFound, type DeepReadonly } from "@kedge/machinery";
import { Namespace, Pod } from "@kedge/machinery/kinds/core/v1";
import {
  defineController,
  type Controller,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { namespacedKinds } from "../served-kinds.ts";

/** The finalizer that is ours. */
const finalizer = "kubernetes";
/** How soon to look again whether what is left has gone. */
const patience = 500;

/** Empties namespaces that are being deleted, pods first, and then lets them go. */
export function namespaceController(): Controller {
  return defineController({ name: "namespace-controller", for: Namespace, reconcile, when: isGoing });
}

function isGoing(namespace: DeepReadonly<Namespace>): boolean {
  return namespace.metadata.deletionTimestamp !== undefined;
}

async function reconcile(context: ReconcileContext<Namespace>): Promise<ReconcileResult | undefined> {
  const { object: namespace, client } = context;
  if (namespace === undefined || !isGoing(namespace)) return undefined;
  if (!(namespace.spec?.finalizers ?? []).includes(finalizer)) return undefined;
  const { name } = namespace.metadata;
  const kinds = (await namespacedKinds(client)).toSorted((one) => (isPod(one) ? -1 : 1));
  for (const kind of kinds) {
    const left = await empty(context, kind, name);
    // Pods may still need what else is in the namespace: it stays until they are gone.
    if (left > 0 && isPod(kind)) return { requeueAfter: patience };
  }
  for (const kind of kinds) {
    if ((await count(context, kind, name)) > 0) return { requeueAfter: patience };
  }
  const finalizers = (namespace.spec?.finalizers ?? []).filter((entry) => entry !== finalizer);
  const metadata = { ...namespace.metadata, managedFields: undefined };
  await client
    .of(Namespace)
    .finalize.replace({ ...namespace, metadata, spec: { ...namespace.spec, finalizers } });
  return undefined;
}

type ServedKind = Awaited<ReturnType<typeof namespacedKinds>>[number];

/** Deletes all objects of a kind, and says how many are still there. */
async function empty(
  context: ReconcileContext<Namespace>,
  kind: ServedKind,
  namespace: string,
): Promise<number> {
  if ((await count(context, kind, namespace)) === 0) return 0;
  try {
    await context.client.of(kind).deleteCollection({ namespace }, { propagation: "Background" });
  } catch (error) {
    if (!isNotFound(error) && !isMethodNotSupported(error)) throw error;
  }
  return count(context, kind, namespace);
}

async function count(
  context: ReconcileContext<Namespace>,
  kind: ServedKind,
  namespace: string,
): Promise<number> {
  try {
    return (await context.client.metadataOf(kind).list({ namespace }).all()).items.length;
  } catch (error) {
    // The kind went in the meantime.
    if (isNotFound(error) || isMethodNotSupported(error)) return 0;
    throw error;
  }
}

function isPod({ group, kind }: ServedKind): boolean {
  return group === Pod.group && kind === Pod.kind;
}
