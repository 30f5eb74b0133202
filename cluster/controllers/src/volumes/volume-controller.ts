import { clone, type DeepReadonly } from "@kedge/machinery";
import { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { defineController, watches, type Controller, type ReconcileContext } from "@kedge/runtime";
import { volumeProtection } from "./names.ts";

type Context = ReconcileContext<PersistentVolume>;
type Volume = DeepReadonly<PersistentVolume>;

/** Says which volumes are free, bound or left behind. Whoever made one removes it when it is left behind. */
export function volumeController(): Controller {
  return defineController({
    name: "persistentvolume-controller",
    reporter: "persistentvolume-controller",
    for: PersistentVolume,
    watches: [
      watches(PersistentVolumeClaim, ({ spec }) =>
        spec?.volumeName === undefined ? [] : [{ name: spec.volumeName }],
      ),
    ],
    reconcile: async (context) => {
      const volume = context.object;
      if (volume === undefined) return undefined;
      if (volume.metadata.deletionTimestamp !== undefined) await letGo(context, volume);
      else await writePhase(context, volume);
      return undefined;
    },
  });
}

/** What is said of a volume: free, its claim's, or its claim is gone. */
export function phaseOf(
  volume: Volume,
  claim: DeepReadonly<PersistentVolumeClaim> | undefined,
): "Available" | "Bound" | "Released" {
  const reference = volume.spec?.claimRef;
  if (reference === undefined) return "Available";
  // Set aside for a claim that is yet to come.
  if (reference.uid === undefined) return "Available";
  return claim?.metadata.uid === reference.uid ? "Bound" : "Released";
}

async function writePhase(context: Context, volume: Volume): Promise<void> {
  const phase = phaseOf(volume, await claimOf(context, volume));
  if (volume.status?.phase === phase) return;
  const status = { ...clone(volume.status ?? {}), phase };
  const metadata = { ...volume.metadata, managedFields: undefined };
  await context.client.of(PersistentVolume).status.replace({ ...volume, metadata, status });
}

/** By the cache, and before anything is called gone by the server: data hangs on it. */
async function claimOf(
  context: Context,
  volume: Volume,
): Promise<DeepReadonly<PersistentVolumeClaim> | undefined> {
  const { namespace, name, uid } = volume.spec?.claimRef ?? {};
  if (namespace === undefined || name === undefined) return undefined;
  const cached = context.read(PersistentVolumeClaim).get({ namespace, name });
  if (cached !== undefined && cached.metadata.uid === uid) return cached;
  const list = context.client
    .of(PersistentVolumeClaim)
    .list({ namespace, fieldSelector: `metadata.name=${name}` });
  return (await list.all()).items[0];
}

/** A volume that is bound stays until its claim is gone. */
async function letGo(context: Context, volume: Volume): Promise<void> {
  const { uid, resourceVersion, finalizers = [] } = volume.metadata;
  if (!finalizers.includes(volumeProtection)) return;
  if (phaseOf(volume, await claimOf(context, volume)) === "Bound") return;
  const left = finalizers.filter((finalizer) => finalizer !== volumeProtection);
  await context.client
    .of(PersistentVolume)
    .patch(
      { name: volume.metadata.name },
      { merge: { metadata: { uid, resourceVersion, finalizers: left } } },
    );
}
