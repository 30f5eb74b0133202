import { metadata } from "./metadata.ts";
import { partOfObject } from "./part-of.ts";
import type { Write, WriteMaterial } from "./write.ts";

/** An apply of a part of an object, or of a whole one, by one of two managers. */
export function apply(material: WriteMaterial): Write {
  const { choose, kind, name } = material;
  const { apiVersion, kind: kindName } = kind;
  const wanted = choose.maybe(60) ? partOfObject(material) : kind.make(choose);
  const { metadata: meta = choose.maybe(30) ? metadata(choose, kind) : {}, ...rest } = wanted;
  const object = { apiVersion, kind: kindName, metadata: { name, ...(meta as object) }, ...rest };
  return {
    method: "PATCH",
    type: "application/apply-patch+yaml",
    query: {
      fieldManager: choose.one(["one", "two"]),
      ...(choose.fields({ force: [50, () => "true"], dryRun: [5, () => "All"] }) as Record<string, string>),
    },
    body: () => object,
    said: object,
  };
}
