import type { Clock, Logger } from "@kedge/machinery";
import type { Digest } from "./digest.ts";
import type { KnownImage } from "./image-record.ts";
import type { OciStore } from "./oci-store.ts";
import { bytesToFree, planCollection, usualCollection, type Collectable } from "./plan-collection.ts";

/** What images are collected with. */
export interface CollectOptions {
  readonly store: OciStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Bytes of the disk that the store is on. */
  readonly disk: () => Promise<{ readonly capacity: number; readonly available: number }>;
}

/** How much had to go, and how much went. */
export interface Collected {
  readonly wanted: number;
  readonly freed: number;
}

/** Makes room on the disk when there is too little, as the kubelet does. */
export async function collectImages({ store, clock, logger, disk }: CollectOptions): Promise<Collected> {
  const limits = usualCollection;
  // To look is to forget those whose containers are gone.
  const uses = await store.uses();
  const wanted = bytesToFree(await disk(), limits);
  if (wanted === 0) return { wanted, freed: 0 };
  const going = planCollection(await collectables(store, new Set(uses.map(({ image }) => image))), {
    bytes: wanted,
    now: clock.now(),
    leastAgeMs: limits.leastAgeMs,
  });
  let freed = 0;
  for (const { names, bytes, id } of going) {
    // A container may have come meanwhile.
    const { inUse } = await store.remove(names);
    if (inUse.length > 0) continue;
    freed += bytes;
    logger.info("Removed an image to make room on the disk", { names, id, bytes });
  }
  return { wanted, freed };
}

async function collectables(store: OciStore, used: ReadonlySet<Digest>): Promise<readonly Collectable[]> {
  const byId = Map.groupBy(await store.list(), ({ id }) => id);
  return await Promise.all(
    Array.from(byId, async ([id, known]) => ({
      id,
      names: known.map(({ name }) => name),
      bytes: await sizeOf(store, known),
      from: known.find(({ from }) => from === "archive")?.from ?? known[0]?.from ?? "registry",
      usedAt: known.reduce((latest, { usedAt }) => Math.max(latest, usedAt), 0),
      inUse: used.has(id),
    })),
  );
}

async function sizeOf(store: OciStore, [first]: readonly KnownImage[]): Promise<number> {
  return first === undefined ? 0 : await store.sizeOf(first);
}
