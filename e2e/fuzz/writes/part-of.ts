import { isObject, objectAt, type JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { metadata } from "./metadata.ts";
import type { WriteMaterial } from "./write.ts";

/** A part of an object of this kind: one to three fields of its spec, or of itself when it has none, or metadata. */
export function partOfObject(material: WriteMaterial): JsonObject {
  const { choose, kind } = material;
  const other = kind.make(choose);
  if (choose.maybe(20)) return { metadata: metadata(choose, kind) };
  const spec = objectAt(other, "spec");
  const rest = Object.keys(spec).length > 0 ? { spec: someFields(choose, spec) } : someFields(choose, other);
  return choose.maybe(20) ? { ...rest, metadata: metadata(choose, kind) } : rest;
}

/** The fields of the spec, or of the object, that another object has or this one has: where a change may be. */
export function placesOf({ kind, latest, choose }: WriteMaterial): {
  readonly places: readonly string[];
  readonly other: JsonObject;
  readonly inSpec: boolean;
} {
  const made = kind.make(choose);
  const inSpec = isObject(latest["spec"]);
  const other = inSpec ? objectAt(made, "spec") : made;
  const own = inSpec ? objectAt(latest, "spec") : latest;
  const places = [...new Set([...Object.keys(other), ...Object.keys(own)])].filter(
    (key) => !typeFields.has(key),
  );
  return { places, other, inSpec };
}

const typeFields = new Set(["apiVersion", "kind", "metadata", "status"]);

function someFields(choose: Chooser, object: JsonObject): JsonObject {
  const names = Object.keys(object);
  if (names.length === 0) return {};
  return Object.fromEntries(choose.named(names, 3, (name) => [name, object[name]]));
}
