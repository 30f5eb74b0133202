import { isJsonList, isJsonObject } from "@kedge/machinery";
import type { SchemaTable, TableField, TableShape, TableType } from "@kedge/machinery/schema-table";
import { schemaProps, specialEncoders } from "./encode-special.ts";
import type { WireWriter } from "./wire-writer.ts";

/** Writes an object as the message of its type. */
export type EncodeMessage = (writer: WireWriter, value: unknown) => void;

/**
 * Makes the functions that write messages of built-in types, each once: the bytes that Go writes. Plain scalars and
 * structs are always there, zero or not; what is held by pointer, lists and maps only when they are set.
 */
export class MessageEncoders {
  readonly #table: SchemaTable;
  readonly #made = new Map<string, EncodeMessage>();

  constructor(table: SchemaTable) {
    this.#table = table;
  }

  /** The one of a type with fields. */
  of(type: TableType): EncodeMessage {
    const known = this.#made.get(type.name);
    if (known !== undefined) return known;
    // A type may hold itself: what it is written with is found when it is written.
    let nodes: readonly Node[] | undefined;
    const made: EncodeMessage = (writer, value) => {
      nodes ??= nodesOf([...type.fields.values()].map((field) => this.#placed(type, field)));
      const object = isJsonObject(value) ? value : {};
      for (const node of nodes) writeNode(writer, node, object);
    };
    this.#made.set(type.name, made);
    return made;
  }

  #named(name: string): EncodeMessage {
    const special = specialEncoders.get(name);
    if (special === undefined) {
      const type = this.#table.type(name);
      if (type === undefined) throw new Error(`${name} is not a type of Kubernetes`);
      return this.of(type);
    }
    return (writer, value) => {
      special(writer, value, (number, schema) => {
        const before = writer.length;
        this.#named(schemaProps)(writer, schema);
        writer.delimit(number, before);
      });
    };
  }

  #placed(type: TableType, field: TableField): Placed {
    const path = field.protobuf?.path ?? [];
    const always = field.unset === "zero" || writtenStructs.has(`${type.title}.${field.name}`);
    return { path, name: field.name, write: this.#field(field, always, path.at(-1) ?? 0) };
  }

  #field({ shape, zeroCounts, protobuf }: TableField, always: boolean, number: number): WriteField {
    const wrapped = protobuf?.wrapped === true;
    if (shape.is === "list") {
      return wrapped ? wrappedList(number, this.#value(1, shape.of)) : list(this.#value(number, shape.of));
    }
    if (shape.is === "map") return map(number, this.#mapValue(shape.of, wrapped));
    const value = this.#value(number, shape);
    // Of scalars that are not held by pointer the zero is written, too; of structs only where they are none.
    const isScalar = shape.is !== "reference" && shape.is !== "bytes";
    const writesUnset = isScalar ? !zeroCounts : always && shape.is === "reference";
    return (writer, content) => {
      if (writesUnset || (content !== undefined && content !== null)) value(writer, content);
    };
  }

  #mapValue(shape: TableShape, wrapped: boolean): WriteField {
    if (shape.is !== "list") return this.#value(2, shape);
    return wrapped ? wrappedList(2, this.#value(1, shape.of)) : list(this.#value(2, shape.of));
  }

  #value(number: number, shape: TableShape): WriteField {
    switch (shape.is) {
      case "string":
        return (writer, value) => writer.textField(number, typeof value === "string" ? value : "");
      case "bytes":
        return (writer, value) => {
          const before = writer.length;
          writer.bytes(Buffer.from(typeof value === "string" ? value : "", "base64"));
          writer.delimit(number, before);
        };
      case "int32":
      case "int64":
        return (writer, value) => {
          writer.integer(typeof value === "number" || typeof value === "bigint" ? value : 0);
          writer.tag(number, 0);
        };
      case "double":
        return (writer, value) => {
          writer.double(typeof value === "number" ? value : 0);
          writer.tag(number, 1);
        };
      case "boolean":
        return (writer, value) => {
          writer.varint(value === true ? 1 : 0);
          writer.tag(number, 0);
        };
      case "reference": {
        let encode: EncodeMessage | undefined;
        return (writer, value) => {
          encode ??= this.#named(shape.to);
          const before = writer.length;
          encode(writer, value);
          writer.delimit(number, before);
        };
      }
      default:
        throw new Error(`a value of the shape ${shape.is} does not travel in protobuf`);
    }
  }
}

/** Structs that JSON leaves out when they are zero, though they are not held by pointer. */
const writtenStructs = new Set(["ObjectMeta.creationTimestamp"]);

type WriteField = (writer: WireWriter, value: unknown) => void;

interface Placed {
  readonly path: readonly number[];
  readonly name: string;
  readonly write: WriteField;
}

/** A field, or a message that JSON inlines. */
type Node =
  | { readonly name: string; readonly write: WriteField }
  | { readonly number: number; readonly nodes: readonly Node[] };

/** In the order of writing: from the highest number to the lowest. */
function nodesOf(fields: readonly Placed[]): readonly Node[] {
  const byNumber = new Map<number, Placed[]>();
  for (const field of fields) {
    const [number] = field.path;
    if (number === undefined) continue;
    const known = byNumber.get(number);
    if (known === undefined) byNumber.set(number, [field]);
    else known.push(field);
  }
  const numbers = [...byNumber.keys()].toSorted((a, b) => b - a);
  return numbers.flatMap((number): readonly Node[] => {
    const here = byNumber.get(number) ?? [];
    const leaf = here.find(({ path }) => path.length === 1);
    if (leaf !== undefined) return [leaf];
    return [{ number, nodes: nodesOf(here.map(({ path, ...rest }) => ({ ...rest, path: path.slice(1) }))) }];
  });
}

function writeNode(writer: WireWriter, node: Node, object: Readonly<Record<string, unknown>>): void {
  if ("write" in node) {
    node.write(writer, object[node.name]);
    return;
  }
  const before = writer.length;
  for (const inner of node.nodes) writeNode(writer, inner, object);
  writer.delimit(node.number, before);
}

function list(item: WriteField): WriteField {
  return (writer, value) => {
    if (!isJsonList(value)) return;
    for (let index = value.length - 1; index >= 0; index--) item(writer, value[index]);
  };
}

function wrappedList(number: number, item: WriteField): WriteField {
  const items = list(item);
  return (writer, value) => {
    if (!isJsonList(value)) return;
    const before = writer.length;
    items(writer, value);
    writer.delimit(number, before);
  };
}

/** The keys in order, as Go writes them for the same bytes each time. */
function map(number: number, entry: WriteField): WriteField {
  return (writer, value) => {
    if (!isJsonObject(value)) return;
    for (const key of Object.keys(value).toSorted().toReversed()) {
      const before = writer.length;
      entry(writer, value[key]);
      writer.textField(1, key);
      writer.delimit(number, before);
    }
  };
}
