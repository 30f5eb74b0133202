import { structuralSchema, type TypeSchema } from "@kedge/machinery";
import { compileSchema, type CompiledSchema, type JsonSchema } from "@kedge/validation";
import { compareVersions } from "../../discovery/version-order.ts";
import type { Converter, Resource, Subresource } from "../../registry/types.ts";
import { allVerbs } from "../../registry/verbs.ts";
import { customTable } from "../../tables/index.ts";
import {
  holds,
  schemaOf,
  storageVersionOf,
  type Definition,
  type DefinitionVersion,
} from "../definition/definition.ts";
import { converterOf, type ConversionClient } from "./webhook-converter.ts";
import { customDecoder } from "./custom-decoder.ts";
import { customStrategy } from "./custom-strategy.ts";
import { valueAt } from "./paths.ts";
import { statusPart } from "./status-part.ts";

/** What custom resources are made with. */
export interface CustomResourceOptions {
  /** The schema of `metadata`: that of the built-in `ObjectMeta`. */
  readonly objectMeta: TypeSchema;
  /** Calls webhooks that convert. Default: there is nobody to call them. */
  readonly client?: ConversionClient | undefined;
}

/** The served versions of what a definition defines, the preferred one first. Its names must have been accepted. */
export function customResources(definition: Definition, options: CustomResourceOptions): readonly Resource[] {
  const storage = storageVersionOf(definition);
  const versions = definition.spec?.versions ?? [];
  const stored = versions.find(({ name }) => name === storage);
  const storedSchema = compileSchema(schemaFor(stored ?? {}));
  const converter = converterOf(definition, options.client);
  return versions
    .filter(({ served }) => served === true)
    .toSorted((a, b) => compareVersions(a.name ?? "", b.name ?? ""))
    .map((version) =>
      customResource(definition, version, {
        ...options,
        // What the stored version does not know is lost in all versions, unless a webhook knows better.
        storedSchema: version === stored || converter !== undefined ? undefined : storedSchema,
        converter,
      }),
    );
}

/** The version that is stored, served or not: for whoever works on all objects of a definition. */
export function storedResource(definition: Definition, options: CustomResourceOptions): Resource | undefined {
  const storage = storageVersionOf(definition);
  const version = definition.spec?.versions?.find(({ name }) => name === storage);
  const made = { ...options, storedSchema: undefined, converter: undefined };
  return version && customResource(definition, version, made);
}

interface VersionOptions extends CustomResourceOptions {
  /** Of the version that is stored; undefined when that is the version itself. */
  readonly storedSchema: CompiledSchema | undefined;
  readonly converter: Converter | undefined;
}

function customResource(
  definition: Definition,
  version: DefinitionVersion,
  { objectMeta, storedSchema, converter }: VersionOptions,
): Resource {
  const { group = "", scope } = definition.spec ?? {};
  const names = definition.status?.acceptedNames ?? {};
  const { kind = "", plural = "" } = names;
  const schema = schemaFor(version);
  const compiled = compileSchema(schema);
  const type = { group, version: version.name ?? "", kind, plural };
  const scale = version.subresources?.scale;
  const shared = { compiled, scale, type };
  return {
    ...type,
    listKind: names.listKind ?? `${kind}List`,
    singular: names.singular ?? kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    verbs: allVerbs,
    storage: `${group}/${plural}`,
    storedAs: {
      ...type,
      version: definition.spec?.versions?.find(({ storage }) => storage === true)?.name ?? type.version,
    },
    schema: structuralSchema(
      { ...schema },
      { objectMeta, preserveUnknownFields: definition.spec?.preserveUnknownFields },
    ),
    custom: customDecoder(compiled, storedSchema),
    openapi: schema,
    ...(converter !== undefined && { converter }),
    ...(version.deprecated === true && { deprecationWarning: deprecationOf(definition, version, type) }),
    strategy: customStrategy({
      ...shared,
      hasStatus: version.subresources?.status !== undefined,
      selectableFields: (version.selectableFields ?? []).map(({ jsonPath = "" }) => jsonPath),
      terminating: holds(definition, "Terminating"),
    }),
    table: customTable(
      (version.additionalPrinterColumns ?? []).map(
        ({ name = "", type: columnType = "", jsonPath = "", ...rest }) => ({
          ...rest,
          name,
          type: columnType,
          jsonPath,
        }),
      ),
    ),
    subresources: subresourcesOf(version, schema, shared),
  };
}

/** A version without a schema cannot be created any more. */
function schemaFor(version: DefinitionVersion): JsonSchema {
  return schemaOf(version) ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
}

/** Who uses an old version is told the newest one that is meant to stay, if there is one. */
function deprecationOf(
  { spec }: Definition,
  { deprecationWarning }: DefinitionVersion,
  { group, version, kind }: Type,
): string {
  if (deprecationWarning !== undefined) return deprecationWarning;
  const [newest] = (spec?.versions ?? [])
    .filter(({ name = "", served, deprecated }) => {
      return served === true && deprecated !== true && compareVersions(name, version) < 0;
    })
    .map(({ name = "" }) => name)
    .toSorted(compareVersions);
  const advice = newest === undefined ? "" : `; use ${group}/${newest} ${kind}`;
  return `${group}/${version} ${kind} is deprecated${advice}`;
}

type Type = Pick<Resource, "group" | "version" | "kind" | "plural">;

function subresourcesOf(
  { subresources }: DefinitionVersion,
  schema: JsonSchema,
  shared: Parameters<typeof statusPart>[0],
): ReadonlyMap<string, Subresource> {
  const map = new Map<string, Subresource>();
  if (subresources?.status !== undefined) {
    const status = schema.properties?.["status"];
    map.set("status", statusPart(shared, status === undefined ? undefined : compileSchema(status)));
  }
  const { scale } = subresources ?? {};
  if (scale !== undefined) {
    const { labelSelectorPath = "" } = scale;
    map.set("scale", {
      type: "scale",
      specReplicasPath: scale.specReplicasPath ?? "",
      statusReplicasPath: scale.statusReplicasPath ?? "",
      selector: (object) => {
        const value = labelSelectorPath === "" ? undefined : valueAt(object, labelSelectorPath);
        return typeof value === "string" ? value : undefined;
      },
    });
  }
  return map;
}
