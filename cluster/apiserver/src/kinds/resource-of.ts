import type { JsonObject, Kind } from "@kedge/machinery";
import {
  builtinTable,
  tableSchemas,
  zeroObject,
  type SchemaTable,
  type TableSchemas,
} from "@kedge/machinery/schema-table";
import { nameAndCreation } from "../tables/index.ts";
import type { Resource, Strategy, Subresource } from "../registry/types.ts";
import { allVerbs } from "../registry/verbs.ts";
import type { KindDefinition } from "./kind-definition.ts";
import { normalizer, type Normalize } from "./normalize/normalize.ts";
import { builtinDefaults } from "./defaults/index.ts";
import { keepStatus, dropStatus, statusPart } from "./status.ts";

/** What all built-in resources are made with. */
export interface BuiltinFacts {
  readonly table: SchemaTable;
  readonly schemas: TableSchemas;
  readonly normalize: Normalize;
}

/** Reads the facts; takes milliseconds, so once for all kinds. */
export function builtinFacts(): BuiltinFacts {
  const table = builtinTable();
  return { table, schemas: tableSchemas(table), normalize: normalizer(table, builtinDefaults()) };
}

/** Makes the resource of a built-in kind: generic facts from its descriptor and the table, the rest as defined. */
export function resourceOf(definition: KindDefinition, facts: BuiltinFacts): Resource {
  const { kind } = definition;
  const schema = facts.schemas(facts.table.kind(kind)?.name ?? "");
  if (schema === undefined)
    throw new Error(`kind ${kind.group}/${kind.version} ${kind.kind}: is not in the schema table`);
  let empty: JsonObject | undefined;
  return {
    group: kind.group,
    version: kind.version,
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural: kind.plural,
    singular: kind.singular ?? kind.kind.toLowerCase(),
    shortNames: kind.shortNames ?? [],
    categories: kind.categories ?? [],
    scope: kind.scope,
    verbs: definition.verbs ?? (definition.review === undefined ? allVerbs : ["create"]),
    storage: definition.storage ?? (kind.group === "" ? kind.plural : `${kind.group}/${kind.plural}`),
    storedAs: definition.storedAs,
    ...(definition.conversion !== undefined && { conversion: definition.conversion }),
    schema,
    // Of most kinds nobody ever makes an object: a start would read the types of all.
    get emptyObject() {
      return (empty ??= zeroObject(facts.table, kind));
    },
    strategy: strategyOf(definition, facts),
    table: definition.printer?.table ?? nameAndCreation,
    subresources: subresourcesOf(definition),
    review: definition.review,
    computed: definition.computed,
    deprecationWarning: definition.deprecationWarning,
  };
}

function strategyOf({ kind, strategy }: KindDefinition, facts: BuiltinFacts): Strategy {
  return {
    ...(hasStatus(kind) && { prepareForCreate: dropStatus, prepareForUpdate: keepStatus }),
    ...strategy,
    default: (object) => {
      facts.normalize(object, kind);
    },
  };
}

function subresourcesOf({ kind, subresources }: KindDefinition): ReadonlyMap<string, Subresource> {
  return new Map<string, Subresource>([
    ...(hasStatus(kind) ? ([["status", statusPart()]] as const) : []),
    ...Object.entries(subresources ?? {}),
  ]);
}

function hasStatus(kind: Kind): boolean {
  return kind.subresources.includes("status");
}
