import {
  fieldInvalid,
  fieldPath,
  fieldRequired,
  validateDns1035Label,
  type FieldError,
  type FieldPath,
  type Steps,
} from "@kedge/machinery";
import type { Definition, DefinitionSpec, DefinitionVersion } from "./definition.ts";
import type { InternalForm } from "./internal-form.ts";
import { printedVersions } from "./printed-versions.ts";
import {
  validateColumns,
  validateSchema,
  validateSelectableFields,
  validateSubresources,
} from "./validate-parts.ts";

/** Every version has a schema, unless all share one. */
export function requireSchemas({ shared, versions }: InternalForm, path: FieldPath): FieldError[] {
  if (shared.schema !== undefined) return [];
  return versions.flatMap(({ schema }, index) =>
    schema === undefined ? [fieldRequired(path.index(index).child("schema", "openAPIV3Schema"))] : [],
  );
}

/** All that is wrong with one version and what it says by itself. */
export function* validateVersion(
  each: InternalForm["versions"][number],
  { shared }: InternalForm,
  path: FieldPath,
): Steps<FieldError[]> {
  const { version, schema, selectableFields } = each;
  const name = version.name ?? "";
  const wrong = validateDns1035Label(name);
  const subresources = each.subresources ?? shared.subresources;
  const fields = path.child("selectableFields");
  return [
    ...(wrong.length > 0 ? [fieldInvalid(path.child("name"), name, wrong.join(","))] : []),
    ...validateDeprecation(version, path.child("deprecationWarning")),
    ...(yield* validateSchema(schema, path.child("schema"), subresources?.status !== undefined)),
    ...validateSubresources(each.subresources, path.child("subresources")),
    ...validateColumns(each.columns, path.child("additionalPrinterColumns")),
    ...(selectableFields === undefined || selectableFields.length === 0
      ? []
      : schema === undefined
        ? [fieldInvalid(fields, "", "may only be set when `version.schema.openAPIV3Schema` is not included")]
        : validateSelectableFields(selectableFields, schema, fields)),
  ];
}

function validateDeprecation(
  { deprecated, deprecationWarning }: DefinitionVersion,
  path: FieldPath,
): FieldError[] {
  if (deprecationWarning === undefined) return [];
  const complain = (detail: string): FieldError => fieldInvalid(path, deprecationWarning, detail);
  if (deprecated !== true) return [complain("can only be set for deprecated versions")];
  const unprintable = deprecationWarning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  return [
    ...(new TextEncoder().encode(deprecationWarning).length > 256
      ? [complain("must be <= 256 characters long")]
      : []),
    ...(deprecationWarning === "" ? [complain("must not be an empty string")] : []),
    ...(unprintable >= 0
      ? [
          complain(
            `must only contain printable UTF-8 characters; non-printable character found at index ${unprintable}`,
          ),
        ]
      : []),
  ];
}

/** Names are unique, and exactly one version is stored. */
export function validateVersionSet(spec: DefinitionSpec, form: InternalForm, path: FieldPath): FieldError[] {
  const names = form.versions.map(({ version }) => version.name ?? "");
  const stored = form.versions.filter(({ version }) => version.storage === true);
  const complain = (detail: string): FieldError =>
    fieldInvalid(path, printedVersions(spec.versions, form), detail);
  return [
    ...(new Set(names).size < names.length ? [complain("must contain unique version names")] : []),
    ...(stored.length === 1 ? [] : [complain("must have exactly one version marked as storage version")]),
  ];
}

/** The server's own form has the first version by itself, and complains about it there too. */
export function validateFirstVersion(spec: DefinitionSpec, path: FieldPath): FieldError[] {
  const name = spec.versions?.[0]?.name ?? "";
  const wrong = name === "" ? [] : validateDns1035Label(name);
  return wrong.length === 0 ? [] : [fieldInvalid(path, name, wrong.join(","))];
}

/** What is stored must be known: the storage version, and those that objects may still have. */
export function validateStoredVersions({ spec, status }: Definition): FieldError[] {
  const path = fieldPath("status", "storedVersions");
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) {
    return [fieldInvalid(path, status?.storedVersions ?? null, "must have at least one stored version")];
  }
  const left = new Map(stored.map((version, index) => [version, index]));
  const errors: FieldError[] = [];
  for (const { name = "", storage } of spec?.versions ?? []) {
    if (storage === true && !left.has(name)) {
      errors.push(fieldInvalid(path, stored, `must have the storage version ${name}`));
    }
    left.delete(name);
  }
  return [
    ...errors,
    ...Array.from(left, ([version, index]) =>
      fieldInvalid(
        path.index(index),
        version,
        `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
      ),
    ),
  ];
}
