import { objectAt, without, type JsonObject } from "../../comparison/json.ts";
import { metadata } from "./metadata.ts";
import { placesOf } from "./part-of.ts";
import type { Known, Write, WriteMaterial } from "./write.ts";

/** Replaces the object by itself with a field or two of another one. */
export function replace(material: WriteMaterial): Write {
  const { choose, kind } = material;
  const { places, other, inSpec } = placesOf(material);
  const changed = places.length === 0 ? [] : choose.named(places, 2, (place) => place);
  const meta = choose.maybe(25) ? metadata(choose, kind) : {};
  const version = choose.one(["none", "none", "latest", "latest", "first"] as const);
  const managed = choose.one(["kept", "omitted", "reset"] as const);
  return {
    method: "PUT",
    type: "application/json",
    query: choose.fields({ fieldManager: [20, () => "one"], dryRun: [5, () => "All"] }) as Record<
      string,
      string
    >,
    said: [other, meta],
    body: ({ latest, first }) => {
      const base = withMetadata({ latest, first }, { meta, version, managed });
      if (!inSpec) return taking(base, other, changed);
      return { ...base, spec: taking(objectAt(base, "spec"), other, changed) };
    },
  };
}

interface MetadataChange {
  readonly meta: JsonObject;
  /** Whose resourceVersion is sent. */
  readonly version: "none" | "latest" | "first";
  readonly managed: "kept" | "omitted" | "reset";
}

function withMetadata({ latest, first }: Known, { meta, version, managed }: MetadataChange): JsonObject {
  const { resourceVersion } =
    version === "first" ? objectAt(first, "metadata") : objectAt(latest, "metadata");
  const own = without(objectAt(latest, "metadata"), [
    "resourceVersion",
    ...(managed === "kept" ? [] : ["managedFields"]),
  ]);
  return {
    ...latest,
    metadata: {
      ...own,
      ...meta,
      ...(version !== "none" && { resourceVersion }),
      ...(managed === "reset" && { managedFields: [{}] }),
    },
  };
}

function taking(object: JsonObject, other: JsonObject, places: readonly string[]): JsonObject {
  const taken = places.filter((place) => other[place] !== undefined);
  return { ...without(object, places), ...Object.fromEntries(taken.map((place) => [place, other[place]])) };
}
