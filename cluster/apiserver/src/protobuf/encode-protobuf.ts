import { isJsonObject, parseApiVersion, type GroupVersionKind } from "@kedge/machinery";
import { builtinTable, type SchemaTable } from "@kedge/machinery/schema-table";
import { MessageEncoders, type EncodeMessage } from "./encode-type.ts";
import { withPartialMetadata } from "./partial-metadata-types.ts";
import { WireWriter } from "./wire-writer.ts";

/** Writes objects of built-in kinds in protobuf. */
export interface ProtobufEncoder {
  /** The message of an object of this kind, without what says that it is one; undefined for kinds that have none. */
  message(kind: GroupVersionKind, object: unknown): Uint8Array | undefined;
  /** Whether a kind has messages. */
  knows(kind: GroupVersionKind): boolean;
}

/** A whole object as it is sent, by the apiVersion and kind that it has; undefined for kinds that have no messages. */
export function encodeProtobuf(value: unknown): Uint8Array | undefined {
  const { apiVersion, kind } = typeOf(value);
  // Documents of discovery do not say their version.
  const version = parseApiVersion(apiVersion === "" ? "v1" : apiVersion);
  const message = builtinEncoder().message({ ...version, kind }, value);
  return message === undefined ? undefined : Buffer.concat(inEnvelope({ apiVersion, kind }, message));
}

/** The one for all: it keeps what it has learnt of each type. */
export function builtinEncoder(): ProtobufEncoder {
  encoder ??= createEncoder(withPartialMetadata(builtinTable()));
  return encoder;
}

let encoder: ProtobufEncoder | undefined;

/** What is sent for a message: `k8s\0`, then a runtime.Unknown that names the kind and holds it. */
export function inEnvelope(
  type: { readonly apiVersion: string; readonly kind: string },
  message: Uint8Array,
): readonly Uint8Array[] {
  return [envelopeStart(type, message.length), message, envelopeEnd];
}

/** What comes before a message of this length. */
export function envelopeStart(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  length: number,
): Uint8Array {
  const writer = new WireWriter();
  writer.varint(length);
  writer.tag(2, 2);
  const before = writer.length;
  writer.textField(2, kind);
  writer.textField(1, apiVersion);
  writer.delimit(1, before);
  writer.bytes(magic);
  return writer.take();
}

/** What comes after it: neither a content encoding nor a content type. */
export const envelopeEnd: Uint8Array = Uint8Array.from([0x1a, 0x00, 0x22, 0x00]);

const magic = Uint8Array.from([0x6b, 0x38, 0x73, 0x00]);

function createEncoder(table: SchemaTable): ProtobufEncoder {
  const encoders = new MessageEncoders(table);
  const writer = new WireWriter();
  const encoderOf = (kind: GroupVersionKind): EncodeMessage | undefined => {
    const type = table.kind(kind);
    return type === undefined ? undefined : encoders.of(type);
  };
  return {
    knows: (kind) => table.kind(kind) !== undefined,
    message: (kind, object) => {
      const encode = encoderOf(kind);
      if (encode === undefined) return undefined;
      encode(writer, object);
      return writer.take();
    },
  };
}

function typeOf(value: unknown): { readonly apiVersion: string; readonly kind: string } {
  const { apiVersion, kind } = isJsonObject(value) ? value : {};
  return {
    apiVersion: typeof apiVersion === "string" ? apiVersion : "",
    kind: typeof kind === "string" ? kind : "",
  };
}

/** An event of a watch that shows an object which is sent as these pieces: its length in four bytes, then a WatchEvent. */
export function watchFrame(type: string, pieces: readonly Uint8Array[]): Uint8Array {
  const object = pieces.reduce((sum, { length }) => sum + length, 0);
  const writer = new WireWriter();
  // The object is the only field of a RawExtension.
  writer.varint(object);
  writer.tag(1, 2);
  writer.varint(object + writer.length);
  writer.tag(2, 2);
  writer.textField(1, type);
  const head = writer.take();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length + object);
  return Buffer.concat([length, head, ...pieces]);
}
