import type { Site } from "../generate/strategic-patch.ts";
import type { JsonObject } from "../json.ts";

/** An object that patches are for. */
export interface StrategicObject {
  /** The name of its type in the table. */
  readonly type: string;
  /** Where such objects are created. */
  readonly path: string;
  /** The subresource that is patched. */
  readonly subresource?: "status";
  readonly object: { readonly metadata: JsonObject } & JsonObject;
  readonly sites: readonly Site[];
}

const uid = "00000000-0000-4000-8000-00000000000";
const owner = (key: string | number): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: `owner-${key}`,
  uid: String(key),
});

/** What all objects have in their metadata. */
export const metadataSites: readonly Site[] = [
  { is: "map", path: "metadata/labels", has: ["app", "tier"], lacks: ["new", "example.com/x"] },
  { is: "map", path: "metadata/annotations", has: ["note"], lacks: ["other"] },
  {
    is: "values",
    path: "metadata/finalizers",
    has: ["example.com/a", "example.com/b", "example.com/c"],
    lacks: ["example.com/d", "example.com/e"],
  },
  {
    is: "list",
    path: "metadata/ownerReferences",
    mergeKey: "uid",
    has: [`${uid}1`, `${uid}2`],
    lacks: [`${uid}3`],
    make: owner,
    change: { blockOwnerDeletion: true },
  },
];

/** Metadata with something at every site. */
export function meta(name: string): JsonObject {
  return {
    name,
    labels: { app: "web", tier: "front" },
    annotations: { note: "x" },
    finalizers: ["example.com/a", "example.com/b", "example.com/c"],
    ownerReferences: [owner(`${uid}1`), owner(`${uid}2`)],
  };
}
