import {
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
  type FieldError,
  type FieldPath,
  type Steps,
} from "@kedge/machinery";
import { checkSchemaInSteps, findField, type JsonSchema } from "@kedge/validation";
import type { VersionParts } from "./internal-form.ts";

/** What is wrong with a schema. */
export function* validateSchema(
  schema: JsonSchema | undefined,
  path: FieldPath,
  statusSubresource: boolean,
): Steps<FieldError[]> {
  if (schema === undefined) return [];
  const place = path.child("openAPIV3Schema");
  return yield* checkSchemaInSteps(schema, place, { statusSubresource });
}

/** Scale needs paths to simple fields. */
export function validateSubresources(
  subresources: VersionParts["subresources"],
  path: FieldPath,
): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath = "" } = scale;
  const place = (name: string): FieldPath => path.child(`scale.${name}`);
  return [
    ...(specReplicasPath === ""
      ? [fieldRequired(place("specReplicasPath"))]
      : pathBelow(specReplicasPath, [".spec."], "under .spec", place("specReplicasPath"))),
    ...(statusReplicasPath === ""
      ? [fieldRequired(place("statusReplicasPath"))]
      : pathBelow(statusReplicasPath, [".status."], "under .status", place("statusReplicasPath"))),
    ...(labelSelectorPath === ""
      ? []
      : pathBelow(
          labelSelectorPath,
          [".spec.", ".status."],
          "under either .spec or .status",
          place("labelSelectorPath"),
        )),
  ];
}

function pathBelow(text: string, starts: readonly string[], where: string, path: FieldPath): FieldError[] {
  const wrong = simplePath(text, path);
  if (wrong.length > 0 || starts.some((start) => text.startsWith(start))) return wrong;
  return [fieldInvalid(path, text, `should be a json path ${where}`)];
}

function simplePath(text: string, path: FieldPath): FieldError[] {
  return text.startsWith(".") ? [] : [fieldInvalid(path, text, "must be a simple json path starting with .")];
}

/** Columns have a name, a known type and a path. */
export function validateColumns(columns: VersionParts["columns"], path: FieldPath): FieldError[] {
  return (columns ?? []).flatMap((column, index) => {
    const place = path.index(index);
    const { name = "", type = "", format = "", jsonPath = "" } = column;
    const typeDetail = `must be one of ${columnTypes.join(",")}`;
    return [
      ...(name === "" ? [fieldRequired(place.child("name"))] : []),
      ...(type === "" ? [fieldRequired(place.child("type"), typeDetail)] : []),
      ...(type !== "" && !columnTypes.includes(type)
        ? [fieldInvalid(place.child("type"), type, typeDetail)]
        : []),
      ...(format !== "" && !columnFormats.includes(format)
        ? [fieldInvalid(place.child("format"), format, `must be one of ${columnFormats.join(",")}`)]
        : []),
      ...(jsonPath === ""
        ? [fieldRequired(place.child("JSONPath"))]
        : simplePath(jsonPath, place.child("JSONPath"))),
    ];
  });
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** Selectable fields are scalars that the schema describes, each once, and not too many. */
export function validateSelectableFields(
  fields: VersionParts["selectableFields"],
  schema: JsonSchema,
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  const errors = (fields ?? []).flatMap(({ jsonPath = "" }, index) => {
    const place = path.index(index).child("jsonPath");
    if (jsonPath === "") return [fieldRequired(place)];
    const found = findField(jsonPath, schema, false);
    if (found.error !== undefined)
      return [fieldInvalid(place, jsonPath, `is an invalid path: ${found.error}`)];
    const name = found.names.join(".");
    const known = seen.has(name);
    seen.add(name);
    return [
      ...(found.names[0] === "metadata"
        ? [fieldInvalid(place, jsonPath, "must not point to fields in metadata")]
        : []),
      ...(["string", "boolean", "integer"].includes(found.schema?.type ?? "")
        ? []
        : [fieldInvalid(place, jsonPath, mustBeScalar)]),
      ...(known ? [fieldDuplicate(place, jsonPath)] : []),
    ];
  });
  return seen.size > maxSelectableFields
    ? [...errors, fieldTooMany(path, seen.size, maxSelectableFields)]
    : errors;
}

const maxSelectableFields = 8;
const mustBeScalar =
  "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
