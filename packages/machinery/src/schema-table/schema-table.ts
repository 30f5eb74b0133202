import type { GroupVersionKind } from "../objects/kind.ts";

/** What a value looks like in JSON, and what protobuf's wire type follows from. */
export type TableShape =
  | { readonly is: BaseShape }
  | { readonly is: "reference"; readonly to: string }
  | { readonly is: "list" | "map"; readonly of: TableShape };

/** Shapes that stand alone. `bytes` is base64 in JSON, `object` has unknown fields, `anything` may also be a scalar. */
export type BaseShape =
  | "string"
  | "bytes"
  | "date-time"
  | "int-or-string"
  | "int32"
  | "int64"
  | "double"
  | "boolean"
  | "object"
  | "anything";

/** How the items of a list belong together. */
export interface TableListType {
  readonly type: "atomic" | "set" | "map";
  /** The fields that tell items of a `map` list apart; empty for the others. */
  readonly keys: readonly string[];
}

/** Where a field is found in protobuf. */
export interface TableProtobuf {
  /** Field numbers from the message down to the field: more than one where JSON inlines a message. */
  readonly path: readonly number[];
  /** Whether each list (of a map: each value) is a message of its own that holds its items as field 1. */
  readonly wrapped: boolean;
}

/** One field of a built-in type. */
export interface TableField {
  readonly name: string;
  readonly shape: TableShape;
  readonly required: boolean;
  /** What Kubernetes writes when the field is not set: nothing, `null`, or the zero value of its shape. */
  readonly unset: "nothing" | "null" | "zero";
  /** Whether zero is something else than unset: a scalar that Kubernetes holds by pointer. */
  readonly zeroCounts: boolean;
  readonly listType: TableListType | undefined;
  /** Overrides that of the type that is referred to. */
  readonly mapType: "atomic" | "granular" | undefined;
  /** For strategic merge patches: any of `merge`, `replace`, `retainKeys`. */
  readonly patchStrategies: readonly string[];
  readonly patchMergeKey: string | undefined;
  /** Undefined for what does not travel in protobuf: `apiVersion` and `kind`. */
  readonly protobuf: TableProtobuf | undefined;
  /** The default that the API definition states, where it is not the zero value. */
  readonly default: unknown;
}

/** One built-in type. */
export interface TableType {
  /** Full name: `io.k8s.api.core.v1.Pod`. */
  readonly name: string;
  /** Last part of the name: `Pod`. */
  readonly title: string;
  /** As what it travels on its own; undefined for a part of other types. */
  readonly kind: GroupVersionKind | undefined;
  /** Set for a type that is no struct: `Quantity` is a `string`. */
  readonly shape: TableShape | undefined;
  readonly mapType: "atomic" | "granular" | undefined;
  /** By name, in the order of the names. */
  readonly fields: ReadonlyMap<string, TableField>;
}

/** Facts about all built-in types of one Kubernetes version. */
export interface SchemaTable {
  /** All names, in order. */
  readonly names: readonly string[];
  /** The type of that full name. */
  readonly type: (name: string) => TableType | undefined;
  /** The type of objects of that kind. `DeleteOptions` and `WatchEvent` are found in every group and version. */
  readonly kind: (kind: GroupVersionKind) => TableType | undefined;
}
