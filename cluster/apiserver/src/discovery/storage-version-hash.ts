import { createHash } from "node:crypto";
import type { Resource } from "../registry/types.ts";

/**
 * Equal for versions of the same objects that are stored in the same version: what tells a migrator that there is
 * something to do. None for what is not stored.
 */
export function storageVersionHash(resource: Resource): string | undefined {
  if (resource.computed !== undefined || resource.review !== undefined) return undefined;
  const { group, version, kind } = resource.storedAs ?? resource;
  const digest = createHash("sha256").update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, 8).toString("base64");
}
