import * as z from "zod";
import type {
  Affinity,
  EnvVar,
  LocalObjectReference,
  PodSecurityContext,
  Probe,
  ResourceRequirements,
  SecurityContext,
  Toleration,
  TopologySpreadConstraint,
} from "@kedge/machinery/kinds/core/v1";
import type { NetworkPolicyPeer } from "@kedge/machinery/kinds/networking/v1";
import type { IntOrString } from "@kedge/machinery";
import {
  builtinTable,
  type SchemaTable,
  type TableField,
  type TableShape,
} from "@kedge/machinery/schema-table";
import { intOrString } from "./int-or-string.ts";
import { quantity } from "./quantity.ts";
import { time } from "./time.ts";

/** The built-in types that kinds may take parts of, as they look in a custom resource. */
export interface CoreTypes {
  readonly Affinity: Affinity;
  readonly EnvVar: EnvVar;
  readonly LocalObjectReference: LocalObjectReference;
  readonly NetworkPolicyPeer: NetworkPolicyPeer;
  readonly PodSecurityContext: PodSecurityContext;
  readonly Probe: Probe;
  readonly ResourceRequirements: Omit<ResourceRequirements, "limits" | "requests"> & {
    /** Not yet canonical: a custom resource keeps what was written. */
    limits?: Record<string, IntOrString> | undefined;
    requests?: Record<string, IntOrString> | undefined;
  };
  readonly SecurityContext: SecurityContext;
  readonly Toleration: Toleration;
  readonly TopologySpreadConstraint: TopologySpreadConstraint;
}

/**
 * The schema of a type of core/v1 or networking/v1, with the fields, types and list keys that Kubernetes states. Enums and limits are
 * left to the API server that gets the type in the end. Defaults too, but for keys of lists.
 */
export function coreType<N extends keyof CoreTypes>(name: N): CoreSchema<N>;
export function coreType(name: string): z.ZodObject {
  table ??= builtinTable();
  return structOf(`io.k8s.api.${groups.get(name) ?? "core"}.v1.${name}`, table);
}

/** Types that are of another group than the core one. */
const groups: ReadonlyMap<string, string> = new Map([["NetworkPolicyPeer", "networking"]]);

/** A schema of a built-in type: an object whose fields only its type knows. */
export type CoreSchema<N extends keyof CoreTypes> = z.ZodObject & z.ZodType<CoreTypes[N], CoreTypes[N]>;

/** Facts that never change, read when they are first asked for. */
let table: SchemaTable | undefined;

const quantityName = "io.k8s.apimachinery.pkg.api.resource.Quantity";

function structOf(name: string, facts: SchemaTable, listKeys: readonly string[] = []): z.ZodObject {
  const type = facts.type(name);
  if (type === undefined || type.fields.size === 0) {
    throw new TypeError(`${name}: not a type with fields in the table of built-in types`);
  }
  const shape = Object.fromEntries(
    [...type.fields.values()].map((field) => [field.name, fieldOf(field, facts, listKeys)]),
  );
  const struct = z.object(shape);
  return type.mapType === "atomic" ? struct.meta({ "x-kubernetes-map-type": "atomic" }) : struct;
}

function fieldOf(field: TableField, facts: SchemaTable, listKeys: readonly string[]): z.ZodType {
  const schema = listTyped(shapeOf(field.shape, facts, field.listType?.keys), field);
  if (field.required) return schema;
  // A CRD wants keys of lists that are required or have a default.
  return listKeys.includes(field.name) && field.default !== undefined
    ? schema.default(field.default)
    : schema.optional();
}

function listTyped(schema: z.ZodType, { listType, mapType }: TableField): z.ZodType {
  const said = {
    ...(listType !== undefined && { "x-kubernetes-list-type": listType.type }),
    ...(listType?.type === "map" && { "x-kubernetes-list-map-keys": listType.keys }),
    ...(mapType !== undefined && { "x-kubernetes-map-type": mapType }),
  };
  return Object.keys(said).length === 0 ? schema : schema.meta(said);
}

function shapeOf(shape: TableShape, facts: SchemaTable, listKeys?: readonly string[]): z.ZodType {
  switch (shape.is) {
    case "list":
      return z.array(shapeOf(shape.of, facts, listKeys));
    case "map":
      return z.record(z.string(), shapeOf(shape.of, facts));
    case "reference": {
      if (shape.to === quantityName) return quantity();
      const alias = facts.type(shape.to)?.shape;
      return alias === undefined ? structOf(shape.to, facts, listKeys) : shapeOf(alias, facts);
    }
    case "string":
      return z.string();
    case "bytes":
      return z.string().meta({ format: "byte" });
    case "date-time":
      return time();
    case "int-or-string":
      return intOrString();
    case "int32":
      return z.int32();
    case "int64":
      return z.int();
    case "double":
      return z.number();
    case "boolean":
      return z.boolean();
    case "object":
      return z.looseObject({});
    case "anything":
      return z.unknown();
  }
}
