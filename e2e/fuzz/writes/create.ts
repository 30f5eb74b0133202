import { metadata } from "./metadata.ts";
import type { Write, WriteMaterial } from "./write.ts";

/** Creates the object: most of the time by POST, else by an apply. */
export function create({ choose, kind, name }: Omit<WriteMaterial, "latest">): Write {
  const { apiVersion, kind: kindName } = kind;
  const object = {
    apiVersion,
    kind: kindName,
    metadata: { name, ...metadata(choose, kind) },
    ...kind.make(choose),
  };
  const query = choose.fields({
    dryRun: [5, () => "All"],
    fieldValidation: [15, () => choose.one(["Strict", "Warn", "Ignore"], ["Bad"])],
  }) as Record<string, string>;
  if (choose.maybe(80))
    return { method: "POST", query, type: "application/json", body: () => object, said: object };
  return {
    method: "PATCH",
    query: { ...query, fieldManager: choose.one(["one", "two"]) },
    type: "application/apply-patch+yaml",
    body: () => object,
    said: object,
  };
}
