import { fieldInvalid, fieldPath, validateQualifiedName, type FieldError } from "@kedge/machinery";
import { Namespace } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { named } from "../validation/field-rules.ts";

/** What is wrong with a namespace by itself: its finalizers say who they belong to. */
export function validateNamespace(object: StoredApiObject): FieldError[] {
  const path = fieldPath("spec", "finalizers");
  return (decodedAs(Namespace, object).spec?.finalizers ?? []).flatMap((name) => [
    ...named(name, validateQualifiedName, path),
    ...(name.includes("/") || standard.has(name)
      ? []
      : [fieldInvalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")]),
  ]);
}

const standard: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);
