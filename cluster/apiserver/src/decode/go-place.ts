import type { TableShape } from "@kedge/machinery/schema-table";
import { DecodeError } from "./decode-error.ts";

/** Where in Go's types a value stands. */
export interface GoPlace {
  /** The innermost struct: `ObjectMeta`. */
  readonly struct: string;
  /** The names of the fields from the outside in; items of lists and maps add none. */
  readonly fields: readonly string[];
  /** The path with items: `spec.containers[0].name`. */
  readonly path: string;
}

/** `json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string`. */
export function typeMismatch(value: unknown, shape: TableShape, place: GoPlace, shown = ""): DecodeError {
  const field = [place.struct, ...place.fields].join(".");
  return new DecodeError(
    `json: cannot unmarshal ${goKindOf(value)}${shown} into Go struct field ${field} of type ${goTypeOf(shape)}`,
  );
}

/** What Go calls a JSON value. */
export function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
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
