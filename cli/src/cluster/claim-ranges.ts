import { join } from "node:path";
import { freeRanges, type ClusterRanges } from "@kedge/network";
import { claim, type Claim, type Claims } from "./claims.ts";
import { clusterFolder, type ClusterFolder } from "./cluster-folder.ts";
import { settingIn } from "./cluster-settings.ts";

/**
 * Address ranges that no other cluster of this machine has, whether it runs now or not: two that took turns would
 * otherwise meet one day, and a range cannot be changed once services have addresses in it. Claims are files in the
 * cache folder; one counts as long as its cluster exists, or is about to.
 */
export async function claimRanges(folder: ClusterFolder, cache: string): Promise<ClusterRanges> {
  return await claim(folder, claimsIn(cache), async (others) => {
    const reserved = others.flatMap(({ podRange, serviceRange }) => [podRange, serviceRange]);
    const ranges = freeRanges(undefined, reserved);
    return { name: ranges.podRange.replace("/", "-"), value: ranges };
  });
}

function claimsIn(cache: string): Claims<ClusterRanges> {
  return {
    path: join(cache, "ranges"),
    isClaim: (value): value is Claim & ClusterRanges =>
      typeof value.podRange === "string" && typeof value.serviceRange === "string",
    isKept: async ({ folder, podRange }) => (await settingIn(clusterFolder(folder), "podRange")) === podRange,
  };
}
