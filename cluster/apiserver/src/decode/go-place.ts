import type { TableShape } from "@kedge/machinery/schema-table";
import { DecodeError } from "./decode-error.ts";

/** Where in Go's types a value stands. What is said of it is put together only when there is something to say. */
export interface GoPlace {
  readonly parent: GoPlace | undefined;
  /** The innermost struct: `ObjectMeta`. */
  readonly struct: string;
  /** The field of a struct, the index in a list, the key of a map; of the root, the path that leads to it. */
  readonly step: string | number;
  readonly isField: boolean;
}

/** The path with items: `spec.containers[0].name`. */
export function pathOf(place: GoPlace): string {
  const steps: string[] = [];
  for (let at: GoPlace | undefined = place; at !== undefined; at = at.parent)
    steps.push(
      typeof at.step === "number"
        ? `[${at.step}]`
        : at.parent === undefined && at.step === ""
          ? ""
          : `.${at.step}`,
    );
  return steps.toReversed().join("").slice(1);
}

/** `json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string`. */
export function typeMismatch(value: unknown, shape: TableShape, place: GoPlace, shown = ""): DecodeError {
  return new DecodeError(
    `json: cannot unmarshal ${goKindOf(value)}${shown} into Go struct field ${fieldOf(place)} of type ${goTypeOf(shape)}`,
  );
}

/** The same of a fraction where an integer should be, in the words of the converter that reads data, not JSON. */
export function fractionWords(mismatch: string): string {
  return mismatch.replace(
    /^json: cannot unmarshal number \S*[.e]\S* into .* of type (int\d\d)$/u,
    "cannot convert float64 to $1",
  );
}

/** The innermost struct, and the names of the fields from the outside in; items of lists and maps add none. */
function fieldOf(place: GoPlace): string {
  const names: (string | number)[] = [];
  for (let at: GoPlace | undefined = place; at !== undefined; at = at.parent)
    if (at.isField) names.push(at.step);
  return [place.struct, ...names.toReversed()].join(".");
}

/** What Go calls a JSON value. */
export function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint" || typeof value === "symbol") return "number";
  return typeof value;
}

function goTypeOf(shape: TableShape): string {
  switch (shape.is) {
    case "list":
      return `[]${goTypeOf(shape.of)}`;
    case "map":
      return `map[string]${goTypeOf(shape.of)}`;
    case "reference":
      return shape.to.split(".").slice(-2).join(".");
    case "boolean":
      return "bool";
    case "double":
      return "float64";
    case "bytes":
      return "[]uint8";
    case "date-time":
      return "v1.Time";
    case "object":
      return "map[string]interface {}";
    case "anything":
      return "interface {}";
    case "int-or-string":
      return "intstr.IntOrString";
    default:
      return shape.is;
  }
}
