import { parseQuantity, quantityOf, quantityToNumber, quantityToString } from "@kedge/machinery";
import { UnmetWishError } from "@kedge/runtime";
import type { VolumeFolders } from "./volume-folders.ts";

/** Throws when a disk has less left than is asked for: bytes that are not there cannot be promised. */
export async function checkSpace(
  folders: VolumeFolders,
  { requested, had = "0" }: { readonly requested: string; readonly had?: string },
): Promise<void> {
  const free = await folders.freeBytes();
  const more = bytesOf(requested) - bytesOf(had);
  if (free === undefined || more <= free) return;
  const left = quantityToString(quantityOf(Math.floor(free / mebi) * mebi, { format: "BinarySI" }));
  throw new UnmetWishError(
    `${requested} requested, but the disk of ${folders.path} has ${left} left: ask for less, or make room`,
  );
}

const mebi = 1024 * 1024;

/** A quantity of storage in whole bytes. */
export function bytesOf(quantity: string): number {
  return Math.ceil(quantityToNumber(parseQuantity(quantity)));
}
