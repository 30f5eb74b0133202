import { clone, deepEqual, isMethodNotSupported, isNotFound, type DeepReadonly } from "@kedge/machinery";
import { Namespace, Pod } from "@kedge/machinery/kinds/core/v1";
import {
  defineController,
  type Controller,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { namespacedKinds } from "../served-kinds.ts";
import { emptyingConditions, type Remains } from "./conditions.ts";

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

type Context = ReconcileContext<Namespace>;

async function reconcile(context: Context): Promise<ReconcileResult | undefined> {
  const { object: namespace } = context;
  if (namespace === undefined || !isGoing(namespace)) return undefined;
  if (!(namespace.spec?.finalizers ?? []).includes(finalizer)) return undefined;
  const remains = await empty(context, namespace.metadata.name);
  await report(context, namespace, remains);
  if (remains.length > 0) return { requeueAfter: patience };
  await finish(context, namespace);
  return undefined;
}

type ServedKind = Awaited<ReturnType<typeof namespacedKinds>>[number];

/** Deletes all objects, and tells of those that are still there. */
async function empty(context: Context, namespace: string): Promise<readonly Remains[]> {
  const kinds = await namespacedKinds(context.client);
  const remains: Remains[] = [];
  for (const kind of [...kinds.filter(isPod), ...kinds.filter((one) => !isPod(one))]) {
    const left = await emptyKind(context, kind, namespace);
    if (left.length === 0) continue;
    remains.push({ resource: `${kind.plural}.${kind.group}`, objects: left });
    // Pods may still need what else is in the namespace: it stays until they are gone.
    if (isPod(kind)) break;
  }
  return remains;
}

async function emptyKind(context: Context, kind: ServedKind, namespace: string): Promise<Remains["objects"]> {
  if ((await objectsOf(context, kind, namespace)).length === 0) return [];
  try {
    await context.client.of(kind).deleteCollection({ namespace }, { propagation: "Background" });
  } catch (error) {
    if (!isNotFound(error) && !isMethodNotSupported(error)) throw error;
  }
  return objectsOf(context, kind, namespace);
}

async function objectsOf(context: Context, kind: ServedKind, namespace: string): Promise<Remains["objects"]> {
  try {
    const { items } = await context.client.metadataOf(kind).list({ namespace }).all();
    return items.map(({ metadata }) => ({ finalizers: metadata.finalizers ?? [] }));
  } catch (error) {
    // The kind went in the meantime.
    if (isNotFound(error) || isMethodNotSupported(error)) return [];
    throw error;
  }
}

function isPod({ group, kind }: ServedKind): boolean {
  return group === Pod.group && kind === Pod.kind;
}

async function report(
  { client, clock }: Context,
  namespace: DeepReadonly<Namespace>,
  remains: readonly Remains[],
): Promise<void> {
  const before = namespace.status?.conditions ?? [];
  // What goes at once is nothing to tell of.
  if (remains.length === 0 && before.length === 0) return;
  const conditions = emptyingConditions(remains, before, clock.now());
  if (deepEqual(conditions, before)) return;
  await client
    .of(Namespace)
    .status.patch({ name: namespace.metadata.name }, { merge: { status: { conditions } } });
}

async function finish(context: Context, namespace: DeepReadonly<Namespace>): Promise<void> {
  const { name } = namespace.metadata;
  const latest = context.read(Namespace).get({ name }) ?? namespace;
  const finalizers = (latest.spec?.finalizers ?? []).filter((entry) => entry !== finalizer);
  const metadata = { ...clone(latest.metadata), managedFields: undefined };
  await context.client
    .of(Namespace)
    .finalize.replace({ ...latest, metadata, spec: { ...latest.spec, finalizers } });
}
