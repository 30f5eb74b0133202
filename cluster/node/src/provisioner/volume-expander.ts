import { basename } from "node:path";
import { ifFound, messageOf, withTypeMeta, type DeepReadonly } from "@kedge/machinery";
import { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { defineController, type Controller, type ReconcileContext } from "@kedge/runtime";
import { bytesOf, checkSpace } from "./free-space.ts";
import { isImage } from "../volumes/volume-image.ts";
import { localPathProvisioner } from "./local-path-class.ts";
import { grownStatus, infeasibleStatus, planExpansion } from "./plan-expansion.ts";
import { isOn, type VolumeNode } from "./plan-volume.ts";
import type { VolumeFolders } from "./volume-folders.ts";

/** Room may come back without a word. */
const retryMs = 60_000;

/**
 * Makes volumes larger whose claims ask for it: the API server lets only those ask whose class allows it. A folder is as
 * large as its disk, and a file system in a file grows while it is mounted: the volume grows at once, in use or not; only
 * the disk sets a limit.
 */
export function volumeExpander(nodes: readonly VolumeNode[], folders: VolumeFolders): Controller {
  return defineController({
    name: "volume-expander",
    reporter: localPathProvisioner,
    for: PersistentVolumeClaim,
    // That it is bound, and how large it is, is in its status.
    when: (claim) => isSmaller(claim),
    reconcile: async (context) => {
      const claim = context.object;
      const name = claim?.spec?.volumeName ?? "";
      if (claim === undefined || name === "") return undefined;
      const volume = await ifFound(
        context.client.of(PersistentVolume).get({ name }, { signal: context.signal }),
      );
      if (volume === undefined || !nodes.some((node) => isOn(volume, node))) return undefined;
      const plan = planExpansion(claim, volume);
      if (plan.type === "nothing") return undefined;
      const capacity = plan.type === "grow" ? plan.to : plan.capacity;
      if (plan.type === "grow" && !(await grow(context, { claim, volume, plan, folders })))
        return { requeueAfter: retryMs };
      await writeStatus(context, claim, grownStatus(claim, capacity));
      const note = { reason: "VolumeResizeSuccessful", message: "Resize volume succeeded" };
      context.events.record(withTypeMeta(PersistentVolumeClaim, claim), note);
      return undefined;
    },
  });
}

/** Whether it asks for more than it says that it has. */
function isSmaller({ spec, status }: DeepReadonly<PersistentVolumeClaim>): boolean {
  const requested = spec?.resources?.requests?.["storage"];
  const known = status?.capacity?.["storage"];
  return requested !== undefined && known !== undefined && requested !== known;
}

/** Gives whether the volume has grown. */
async function grow(
  context: ReconcileContext<PersistentVolumeClaim>,
  {
    claim,
    volume,
    plan: { from, to },
    folders,
  }: {
    readonly claim: DeepReadonly<PersistentVolumeClaim>;
    readonly volume: PersistentVolume;
    readonly plan: { readonly from: string; readonly to: string };
    readonly folders: VolumeFolders;
  },
): Promise<boolean> {
  const { client, clock, events, signal } = context;
  const { name, resourceVersion } = volume.metadata;
  try {
    await checkSpace(folders, { requested: to, had: from });
    const path = volume.spec?.local?.path;
    if (isImage(volume) && path !== undefined) await folders.grow(basename(path), bytesOf(to));
  } catch (error) {
    const message = `volume ${name} cannot grow from ${from} to ${to}: ${messageOf(error)}`;
    await writeStatus(context, claim, infeasibleStatus(claim, { to, message, now: clock.now() }));
    const note = { type: "Warning", reason: "VolumeResizeFailed", message } as const;
    events.record(withTypeMeta(PersistentVolumeClaim, claim), note);
    return false;
  }
  const merge = { metadata: { resourceVersion }, spec: { capacity: { storage: to } } };
  await client.of(PersistentVolume).patch({ name }, { merge }, { signal });
  return true;
}

async function writeStatus(
  { client, signal }: ReconcileContext<PersistentVolumeClaim>,
  { metadata }: DeepReadonly<PersistentVolumeClaim>,
  status: object,
): Promise<void> {
  const { uid, resourceVersion } = metadata;
  const merge = { metadata: { uid, resourceVersion }, status };
  await client.of(PersistentVolumeClaim).status.patch(metadata, { merge }, { signal });
}
