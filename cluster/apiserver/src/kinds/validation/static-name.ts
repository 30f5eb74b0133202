import type { StoredApiObject } from "../../registry/types.ts";

const suffix = ".static.k8s.io";

/** Names that Kubernetes keeps for configurations that are read from files. */
export function staticNameWarnings({ metadata }: StoredApiObject): readonly string[] {
  if (metadata.name?.endsWith(suffix) !== true) return [];
  return [
    `metadata.name: names ending with ${JSON.stringify(suffix)} are reserved for static manifest-based configurations and cannot be managed via the API`,
  ];
}
