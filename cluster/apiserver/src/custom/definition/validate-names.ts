import {
  fieldInvalid,
  fieldRequired,
  validateDns1035Label,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { DefinitionNames } from "./definition.ts";

/** Names that a definition must have. */
export function requireNames(names: DefinitionNames, path: FieldPath): FieldError[] {
  return (["plural", "singular", "kind", "listKind"] as const)
    .filter((name) => (names[name] ?? "") === "")
    .map((name) => fieldRequired(path.child(name)));
}

/** What is wrong with the names that are there. */
export function validateNames(names: DefinitionNames, path: FieldPath): FieldError[] {
  const { plural = "", singular = "", kind = "", listKind = "" } = names;
  return [
    ...label(plural, path.child("plural")),
    ...label(singular, path.child("singular")),
    ...mixedCaseLabel(kind, path.child("kind")),
    ...mixedCaseLabel(listKind, path.child("listKind")),
    ...(names.shortNames ?? []).flatMap((name, index) =>
      label(name, path.child("shortNames").index(index), true),
    ),
    ...(kind !== "" && kind === listKind
      ? [fieldInvalid(path.child("listKind"), listKind, "kind and listKind may not be the same")]
      : []),
    ...(names.categories ?? []).flatMap((name, index) =>
      label(name, path.child("categories").index(index), true),
    ),
  ];
}

function label(value: string, path: FieldPath, required = false): FieldError[] {
  const wrong = value === "" && !required ? [] : validateDns1035Label(value);
  return wrong.length === 0 ? [] : [fieldInvalid(path, value, wrong.join(","))];
}

function mixedCaseLabel(value: string, path: FieldPath): FieldError[] {
  const wrong = value === "" ? [] : validateDns1035Label(value.toLowerCase());
  if (wrong.length === 0) return [];
  return [fieldInvalid(path, value, `may have mixed case, but should otherwise match: ${wrong.join(",")}`)];
}
