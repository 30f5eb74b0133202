import { schemaStruct } from "@kedge/validation";
import type { InternalForm, VersionParts } from "./internal-form.ts";

/** The versions as a bad value: as the server's own structs are printed. */
export function printedVersions(sent: unknown, { versions }: InternalForm): unknown {
  if (versions.length === 0) return sent ?? null;
  return versions.map(({ version, ...parts }) =>
    struct({
      Name: version.name ?? "",
      Served: version.served ?? false,
      Storage: version.storage ?? false,
      Deprecated: version.deprecated ?? false,
      DeprecationWarning: version.deprecationWarning ?? null,
      Schema: parts.schema === undefined ? null : struct({ OpenAPIV3Schema: schemaStruct(parts.schema) }),
      Subresources: subresourcesStruct(parts.subresources),
      AdditionalPrinterColumns: columnsStruct(parts.columns),
      SelectableFields: parts.selectableFields?.map(({ jsonPath = "" }) => ({ JSONPath: jsonPath })) ?? null,
    }),
  );
}

/** In a complaint a map is printed in its own order. */
function struct(fields: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(fields));
}

function subresourcesStruct(subresources: VersionParts["subresources"]): unknown {
  if (subresources === undefined) return null;
  const { status, scale } = subresources;
  return struct({
    Status: status === undefined ? null : {},
    Scale:
      scale === undefined
        ? null
        : struct({
            SpecReplicasPath: scale.specReplicasPath ?? "",
            StatusReplicasPath: scale.statusReplicasPath ?? "",
            LabelSelectorPath: scale.labelSelectorPath ?? null,
          }),
  });
}

function columnsStruct(columns: VersionParts["columns"]): unknown {
  if (columns === undefined) return null;
  return columns.map((column) =>
    struct({
      Name: column.name ?? "",
      Type: column.type ?? "",
      Format: column.format ?? "",
      Description: column.description ?? "",
      Priority: column.priority ?? 0,
      JSONPath: column.jsonPath ?? "",
    }),
  );
}
