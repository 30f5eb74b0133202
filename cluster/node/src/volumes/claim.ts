import type { Client } from "@kedge/client";
import { isNotFound } from "@kedge/machinery";
import { imageOf, isImage } from "./volume-image.ts";
import { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";

/** Where the data of a claim lies on this machine. */
export interface ClaimFolder {
  readonly path: string;
  /** For `hostPath`: what to check or make there. */
  readonly hostPathType: string | undefined;
  /** Whether the kubelet gives it to the pod's fsGroup: `local` volumes yes, `hostPath` no. */
  readonly ownable: boolean;
  /** The file that its file system is in: it has to be mounted there first. */
  readonly image?: string;
}

/** Finds the volume behind a claim. Throws a text that says what is missing. */
export async function claimFolder(
  client: Client,
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<ClaimFolder> {
  const claim = await found(
    client.of(PersistentVolumeClaim).get(key, { signal }),
    `persistentvolumeclaim "${key.name}" not found`,
  );
  const name = claim.spec?.volumeName ?? "";
  if (claim.status?.phase !== "Bound" || name === "") {
    throw new Error(`persistentvolumeclaim "${key.name}" is not bound`);
  }
  const volume = await found(
    client.of(PersistentVolume).get({ name }, { signal }),
    `persistentvolume "${name}" not found`,
  );
  if (volume.spec?.claimRef?.uid !== claim.metadata.uid) {
    throw new Error(`persistentvolume "${name}" is not bound to the claim "${key.name}"`);
  }
  const { hostPath, local } = volume.spec;
  if (hostPath !== undefined) return { path: hostPath.path, hostPathType: hostPath.type, ownable: false };
  if (local !== undefined) {
    const image = isImage(volume) ? { image: imageOf(local.path) } : {};
    return { path: local.path, hostPathType: "Directory", ownable: true, ...image };
  }
  throw new Error(`persistentvolume "${name}": this node can mount hostPath and local volumes only`);
}

async function found<T>(reading: Promise<T>, complaint: string): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) throw new Error(complaint, { cause: error });
    throw error;
  }
}
