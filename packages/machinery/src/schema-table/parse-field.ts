import type { BaseShape, TableField, TableListType, TableShape } from "./schema-table.ts";

/** What short type names are resolved with. */
export interface TypeNames {
  /** The package of the names without a number. */
  readonly home: string;
  /** All packages, in the order of the table: `36.Time` is the `Time` of number 36. */
  readonly homes: readonly string[];
}

/**
 * Reads one field:
 *
 *     name:shape[!][%|*][?][^list type or map type][~patch strategy][#protobuf][=default]
 *
 * A shape is `[` (list of) or `{` (map of) and a shape, a letter (see `baseShapes`), or the name of a type. `!` is
 * required; `%` is written as null when unset, `*` as zero value; `?` marks scalars whose zero counts. List types: `^a` atomic, `^s` set, `^m(key,…)` map;
 * map types: `^a` atomic, `^g` granular. Patch strategies: `~m` merge, `~p` replace, `~r` retainKeys, with a merge key
 * in parentheses. Protobuf: the field numbers on the way to it, `w` when its lists are wrapped in messages.
 */
export function parseField(word: string, names: TypeNames): TableField {
  const groups = fieldPattern.exec(word)?.groups;
  if (groups === undefined) throw new Error(`schema table: ${word}: no field looks like this`);
  const { name = "", shape = "", required, unset, grouping, keys, strategies, mergeKey } = groups;
  const { pointer, numbers, wrapped, initial } = groups;
  const isList = shape.startsWith("[");
  return {
    name,
    shape: parseShape(shape, names),
    required: required !== undefined,
    unset: unset === "*" ? "zero" : unset === "%" ? "null" : "nothing",
    zeroCounts: pointer !== undefined,
    listType: isList ? parseListType(grouping, keys) : undefined,
    mapType: isList ? undefined : parseMapType(grouping),
    patchStrategies: Array.from(strategies ?? "", (code) => patchStrategies[code] ?? code),
    patchMergeKey: mergeKey,
    protobuf:
      numbers === undefined
        ? undefined
        : { path: numbers.split("/").map(Number), wrapped: wrapped !== undefined },
    default: initial === undefined ? undefined : JSON.parse(initial),
  };
}

/** Reads a shape. */
export function parseShape(text: string, names: TypeNames): TableShape {
  if (text.startsWith("[")) return { is: "list", of: parseShape(text.slice(1), names) };
  if (text.startsWith("{")) return { is: "map", of: parseShape(text.slice(1), names) };
  const base = baseShapes[text];
  if (base !== undefined) return { is: base };
  const dot = text.indexOf(".");
  const home = dot < 0 ? names.home : names.homes[Number(text.slice(0, dot))];
  return { is: "reference", to: `${home ?? ""}.${text.slice(dot + 1)}` };
}

/** Reads the letter of a map type. */
export function parseMapType(code: string | undefined): "atomic" | "granular" | undefined {
  if (code === undefined) return undefined;
  return code === "a" ? "atomic" : "granular";
}

const fieldPattern =
  /^(?<name>[^:]+):(?<shape>[[{]*[\w.]+)(?<required>!)?(?<unset>[%*])?(?<pointer>\?)?(?:\^(?<grouping>[asmg])(?:\((?<keys>[^)]*)\))?)?(?:~(?<strategies>[mpr]*)(?:\((?<mergeKey>[^)]*)\))?)?(?:#(?<numbers>[\d/]+)(?<wrapped>w)?)?(?:=(?<initial>.+))?$/;

const baseShapes: Readonly<Record<string, BaseShape>> = {
  s: "string",
  y: "bytes",
  t: "date-time",
  x: "int-or-string",
  i: "int32",
  l: "int64",
  d: "double",
  b: "boolean",
  o: "object",
  a: "anything",
};

const patchStrategies: Readonly<Record<string, string>> = { m: "merge", p: "replace", r: "retainKeys" };

function parseListType(code: string | undefined, keys: string | undefined): TableListType | undefined {
  switch (code) {
    case "a":
      return { type: "atomic", keys: [] };
    case "s":
      return { type: "set", keys: [] };
    case "m":
      return { type: "map", keys: (keys ?? "").split(",") };
    default:
      return undefined;
  }
}
