import type { Client } from "@kedge/client";
import {
  ifFound,
  isAlreadyExists,
  isConflict,
  isNotFound,
  messageOf,
  selectedNodeAnnotation,
  withTypeMeta,
  type DeepReadonly,
} from "@kedge/machinery";
import { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import {
  defineController,
  UnmetWishError,
  type Controller,
  type Manager,
  type ReconcileContext,
} from "@kedge/runtime";
import { asksForImage } from "../volumes/volume-image.ts";
import { bytesOf, checkSpace } from "./free-space.ts";
import { localPathProvisioner } from "./local-path-class.ts";
import {
  claimUidOf,
  folderName,
  folderToDelete,
  isOn,
  planVolume,
  refusalOf,
  volumeFor,
  type VolumeNode,
} from "./plan-volume.ts";
import { volumeExpander } from "./volume-expander.ts";
import type { VolumeFolders } from "./volume-folders.ts";

/** What a provisioner is made with. */
export interface VolumeProvisionerOptions {
  /** The node, or all that share these folders. */
  readonly nodeNames: readonly string[];
  readonly folders: VolumeFolders;
}

/**
 * Makes and removes the volumes of nodes for classes of the provisioner `kedge.dev/local-path`. The control plane
 * asks by annotations of the claim, and binds what is made.
 */
export function addVolumeProvisioner(
  manager: Manager,
  { nodeNames, folders }: VolumeProvisionerOptions,
): void {
  const nodes = nodeNames.map((name) => ({ name, folder: folders.path }));
  manager.add(claimProvisioner(nodes, folders));
  manager.add(volumeDeleter(nodes, folders));
  manager.add(volumeExpander(nodes, folders));
  manager.addTask("volume-leftovers", () => removeLeftovers(manager.client, folders));
}

type Claim = DeepReadonly<PersistentVolumeClaim>;

function claimProvisioner(nodes: readonly VolumeNode[], folders: VolumeFolders): Controller {
  return defineController({
    name: "volume-provisioner",
    reporter: localPathProvisioner,
    for: PersistentVolumeClaim,
    reconcile: async (context) => {
      const claim = context.object;
      if (claim === undefined) return undefined;
      const node = nodes.find((one) => planVolume(claim, one) !== "nothing");
      if (node === undefined) return undefined;
      if (planVolume(claim, node) === "select") await selectNode(context, claim, node);
      else await provision(context, claim, { node, folders });
      return undefined;
    },
  });
}

/** Another node may be faster, or the claim have changed: then the next look decides. */
async function selectNode(
  { client, signal }: ReconcileContext<PersistentVolumeClaim>,
  { metadata }: Claim,
  node: VolumeNode,
): Promise<void> {
  const { uid, resourceVersion } = metadata;
  const annotations = { [selectedNodeAnnotation]: node.name };
  try {
    const change = { merge: { metadata: { uid, resourceVersion, annotations } } };
    await client.of(PersistentVolumeClaim).patch(metadata, change, { signal });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/** The folder first: a volume that the API server shows can be used. */
async function provision(
  context: ReconcileContext<PersistentVolumeClaim>,
  claim: Claim,
  { node, folders }: { readonly node: VolumeNode; readonly folders: VolumeFolders },
): Promise<void> {
  const { client, events, signal } = context;
  const subject = withTypeMeta(PersistentVolumeClaim, claim);
  const className = claim.spec?.storageClassName ?? "";
  try {
    const storageClass = await client.of(StorageClass).get({ name: className }, { signal });
    const refusal = refusalOf(claim, storageClass);
    if (refusal !== undefined) throw new UnmetWishError(refusal);
    const volume = volumeFor(claim, storageClass, node);
    await checkSpace(folders, { requested: volume.spec.capacity.storage });
    const size = bytesOf(volume.spec.capacity.storage);
    await folders.make(folderName(claim.metadata), asksForImage(storageClass) ? size : undefined);
    if (!(await created(client, volume, signal))) {
      const { name } = volume.metadata;
      const other = await client.of(PersistentVolume).get({ name }, { signal });
      // The scheduler had another node in mind before.
      if (!isOn(other, node)) await folders.removeIfEmpty(folderName(claim.metadata));
      return;
    }
    const message = `Successfully provisioned volume ${volume.metadata.name}`;
    events.record(subject, { reason: "ProvisioningSucceeded", message });
  } catch (error) {
    const why = messageOf(error);
    const message = `failed to provision volume with StorageClass "${className}": ${why}`;
    events.record(subject, { type: "Warning", reason: "ProvisioningFailed", message });
    throw error;
  }
}

async function created(
  client: Client,
  volume: ReturnType<typeof volumeFor>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.of(PersistentVolume).create(volume, { signal });
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

function volumeDeleter(nodes: readonly VolumeNode[], folders: VolumeFolders): Controller {
  const nodeOf = (volume: DeepReadonly<PersistentVolume>): VolumeNode | undefined =>
    nodes.find((node) => folderToDelete(volume, node) !== undefined);
  return defineController({
    name: "volume-deleter",
    reporter: localPathProvisioner,
    for: PersistentVolume,
    // That it is released is in its status.
    when: (volume) => nodeOf(volume) !== undefined,
    reconcile: async (context) => {
      const volume = context.object;
      const node = volume === undefined ? undefined : nodeOf(volume);
      if (node === undefined) return undefined;
      await deleteVolume(context, node, folders);
      return undefined;
    },
  });
}

/** The folder first: as long as the volume is there, somebody knows that its data has yet to go. */
async function deleteVolume(
  { client, events, key, signal }: ReconcileContext<PersistentVolume>,
  node: VolumeNode,
  folders: VolumeFolders,
): Promise<void> {
  const volume = await ifFound(client.of(PersistentVolume).get({ name: key.name }, { signal }));
  const folder = volume === undefined ? undefined : folderToDelete(volume, node);
  // By the server, before anything is deleted: the cache may be old.
  if (volume === undefined || folder === undefined || (await isClaimed(client, volume, signal))) return;
  try {
    await folders.remove(folder);
  } catch (error) {
    const subject = withTypeMeta(PersistentVolume, volume);
    const message = `The volume's folder could not be removed: ${messageOf(error)}`;
    events.record(subject, { type: "Warning", reason: "VolumeFailedDelete", message });
    throw error;
  }
  const { name, uid } = volume.metadata;
  await ifFound(client.of(PersistentVolume).delete({ name }, { preconditions: { uid }, signal }));
}

async function isClaimed(client: Client, { spec }: PersistentVolume, signal: AbortSignal): Promise<boolean> {
  const { namespace = "", name = "", uid } = spec?.claimRef ?? {};
  const claim = await ifFound(client.of(PersistentVolumeClaim).get({ namespace, name }, { signal }));
  return claim?.metadata.uid === uid;
}

/**
 * Removes folders that were made for a claim which was deleted before it got its volume, while this node was down. They
 * have never been used: one that is not empty stays.
 */
async function removeLeftovers(client: Client, folders: VolumeFolders): Promise<void> {
  const names = await folders.names();
  if (names.length === 0) return;
  const [claims, volumes] = await Promise.all([
    client.of(PersistentVolumeClaim).list().all(),
    client.of(PersistentVolume).list().all(),
  ]);
  const known = new Set<string>([
    ...claims.items.map(({ metadata }) => metadata.uid),
    ...volumes.items.map(({ spec }) => spec?.claimRef?.uid ?? ""),
  ]);
  for (const name of names) {
    const uid = claimUidOf(name);
    if (uid !== undefined && !known.has(uid)) await folders.removeIfEmpty(name);
  }
}
