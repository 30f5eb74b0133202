import { parseQuantity, quantityOf, quantityToNumber, quantityToString } from "@kedge/machinery";
import type { VolumeFolders } from "./volume-folders.ts";

/** Throws when a disk has less left than is asked for: bytes that are not there cannot be promised. */
export async function checkSpace(
  folders: VolumeFolders,
  { requested, had = "0" }: { readonly requested: string; readonly had?: string },
): Promise<void> {
  const free = await folders.freeBytes();
  const more = quantityToNumber(parseQuantity(requested)) - quantityToNumber(parseQuantity(had));
  if (free === undefined || more <= free) return;
  const left = quantityToString(quantityOf(Math.floor(free / mebi) * mebi, { format: "BinarySI" }));
  throw new Error(
    `${requested} requested, but the disk of ${folders.path} has ${left} left: ask for less, or make room`,
  );
}

const mebi = 1024 * 1024;
