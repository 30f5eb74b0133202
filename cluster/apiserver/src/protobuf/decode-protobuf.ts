import { parseApiVersion } from "@kedge/machinery";
import type { SchemaTable, TableType } from "@kedge/machinery/schema-table";
import { decodeStruct } from "./decode-type.ts";
import type { DecodedProtobuf } from "./types.ts";
import { ProtobufError, readMessage } from "./wire-reader.ts";
import { bytesOf, stringOf } from "./wire-scalars.ts";

/** Whether a media type, parameters or not, is Kubernetes' protobuf. */
export function isProtobuf(contentType: string): boolean {
  const [type = ""] = contentType.split(";");
  return type.trim().toLowerCase() === "application/vnd.kubernetes.protobuf";
}

/**
 * Decodes a body of the type `application/vnd.kubernetes.protobuf`: four bytes `k8s\0`, then a runtime.Unknown that
 * names the kind and holds the object. Throws a `ProtobufError`.
 */
export function decodeProtobuf(bytes: Uint8Array, table: SchemaTable): DecodedProtobuf {
  if (!magic.every((byte, index) => bytes[index] === byte)) {
    throw new ProtobufError(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  }
  const envelope = readMessage(bytes.subarray(magic.length));
  const last = (number: number) => envelope.get(number)?.at(-1);
  const typeMeta = readMessage(bytesOf(last(1)));
  const apiVersion = stringOf(typeMeta.get(1)?.at(-1));
  const kind = stringOf(typeMeta.get(2)?.at(-1));
  const encoding = stringOf(last(3));
  if (encoding !== "")
    throw new ProtobufError(`content encoding ${JSON.stringify(encoding)} is not supported`);
  const type = typeOf(table, apiVersion, kind);
  try {
    return { apiVersion, kind, object: { kind, apiVersion, ...decodeStruct(table, type, bytesOf(last(2))) } };
  } catch (error) {
    // Messages within messages take stack; no object of any use is nested so deeply.
    if (error instanceof RangeError)
      throw new ProtobufError("messages are nested too deeply", { cause: error });
    throw error;
  }
}

function typeOf(table: SchemaTable, apiVersion: string, kind: string): TableType {
  const known = /^(?:[^/]+\/)?[^/]+$/u.test(apiVersion)
    ? table.kind({ ...parseApiVersion(apiVersion), kind })
    : undefined;
  if (known !== undefined) return known;
  throw new ProtobufError(`no kind "${kind}" is registered for version "${apiVersion}": send it as JSON`);
}

const magic = [0x6b, 0x38, 0x73, 0x00] as const;
