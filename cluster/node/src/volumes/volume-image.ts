import { basename, dirname, join } from "node:path";
import type { DeepReadonly } from "@kedge/machinery";
import type { PersistentVolume } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";

/** The parameter of a class that says what its volumes are. */
export const backingParameter = "backing";

/** A folder on the node's disk (the default), or a file system of the volume's own size in a file. */
export const backings = ["folder", "loop"] as const;

/** On a volume that is a file system in a file. */
export const backingAnnotation = "kedge.dev/backing";

/** Where the files lie, among the volumes. No volume has such a name. */
export const imagesFolder = ".images";

/** Whether the volumes of a class are file systems in files. */
export function asksForImage({ parameters }: DeepReadonly<StorageClass>): boolean {
  return parameters?.[backingParameter] === "loop";
}

/** Whether a volume is a file system in a file. */
export function isImage({ metadata }: DeepReadonly<PersistentVolume>): boolean {
  return metadata.annotations?.[backingAnnotation] === "loop";
}

/** The file with the file system that is mounted at the path of a volume. */
export function imageOf(path: string): string {
  return join(dirname(path), imagesFolder, `${basename(path)}.ext4`);
}
