import type { Digest } from "./digest.ts";
import type { ImageSource } from "./image-record.ts";

/** An image that may go. */
export interface Collectable {
  readonly id: Digest;
  readonly names: readonly string[];
  /** Content and unpacked files. */
  readonly bytes: number;
  readonly from: ImageSource;
  /** When it was last asked for. Milliseconds since 1970. */
  readonly usedAt: number;
  readonly inUse: boolean;
}

/** When images go: the kubelet's own numbers. */
export interface CollectionLimits {
  /** Percent of the disk from which on images go, and to which they make room. */
  readonly high: number;
  readonly low: number;
  /** One that was just used stays. */
  readonly leastAgeMs: number;
}

/** As the kubelet has them. */
export const usualCollection: CollectionLimits = { high: 85, low: 80, leastAgeMs: 120_000 };

/** How much has to go; 0: there is room enough. */
export function bytesToFree(
  disk: { readonly capacity: number; readonly available: number },
  { high, low }: CollectionLimits,
): number {
  const { capacity, available } = disk;
  if (capacity <= 0) return 0;
  const usedPercent = 100 - Math.floor((available * 100) / capacity);
  return usedPercent < high ? 0 : Math.max(0, Math.floor((capacity * (100 - low)) / 100) - available);
}

/**
 * Which images go, the one that was not used for longest first, until enough is free. What a container stands on stays,
 * and what came from an archive: nobody but the user could bring it back.
 */
export function planCollection(
  images: readonly Collectable[],
  wanted: { readonly bytes: number; readonly now: number; readonly leastAgeMs: number },
): readonly Collectable[] {
  const going: Collectable[] = [];
  let freed = 0;
  for (const image of images.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (freed >= wanted.bytes) break;
    if (image.inUse || image.from === "archive" || wanted.now - image.usedAt < wanted.leastAgeMs) continue;
    going.push(image);
    freed += image.bytes;
  }
  return going;
}
