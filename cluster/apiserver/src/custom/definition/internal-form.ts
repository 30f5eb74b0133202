import { deepEqual } from "@kedge/machinery";
import type { JsonSchema } from "@kedge/validation";
import { schemaOf, type DefinitionSpec, type DefinitionVersion } from "./definition.ts";

/** What a version may say by itself, and what all of them may say together. */
export interface VersionParts {
  readonly schema: JsonSchema | undefined;
  readonly subresources: DefinitionVersion["subresources"];
  readonly columns: DefinitionVersion["additionalPrinterColumns"];
  readonly selectableFields: DefinitionVersion["selectableFields"];
}

/**
 * The form that the server validates: what is the same in all versions, or in the only one, stands beside them. So a
 * fault in the schema of a definition with one version is told of `spec.validation.openAPIV3Schema`.
 */
export interface InternalForm {
  readonly shared: Partial<VersionParts>;
  readonly versions: readonly (Partial<VersionParts> & { readonly version: DefinitionVersion })[];
}

/** Moves what all versions share out of them. */
export function internalForm(spec: DefinitionSpec): InternalForm {
  const versions = (spec.versions ?? []).map((version) => ({ version, ...partsOf(version) }));
  const [first] = versions;
  if (first === undefined) return { shared: {}, versions: [] };
  const names = ["schema", "subresources", "columns", "selectableFields"] as const;
  const same = names.filter((name) => versions.every((each) => deepEqual(each[name], first[name])));
  return {
    shared: Object.fromEntries(same.map((name) => [name, first[name]])),
    versions: versions.map(({ version, ...parts }) => ({
      version,
      ...Object.fromEntries(names.filter((name) => !same.includes(name)).map((name) => [name, parts[name]])),
    })),
  };
}

function partsOf(version: DefinitionVersion): VersionParts {
  return {
    schema: schemaOf(version),
    subresources: version.subresources,
    columns: version.additionalPrinterColumns,
    selectableFields: version.selectableFields,
  };
}
