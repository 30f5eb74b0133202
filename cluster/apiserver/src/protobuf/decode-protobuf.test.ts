import { builtinTable } from "@kedge/machinery/schema-table";
import { describe, expect, test } from "vitest";
import { decodeProtobuf, isProtobuf, ProtobufError } from "./index.ts";
import { encodedObjects } from "./testing/encoded-objects.ts";

const table = builtinTable();

describe("what Go encodes as protobuf decodes to what Go encodes as JSON", () => {
  test.each(encodedObjects)("$name", ({ protobuf, json }) => {
    const { object } = decodeProtobuf(Buffer.from(protobuf, "base64"), table);
    expect(object).toEqual(json);
  });
});

describe("bodies that are refused", () => {
  test.each([
    ["without the magic", Buffer.from("{}"), /expected prefix \[107 56 115 0\]/],
    ["cut off", envelope(Uint8Array.from([0x0a, 0x20, 0x00])), /unexpected EOF/],
    ["of an unknown kind", envelope(typeMeta("v1", "Nope")), /no kind "Nope" is registered for version "v1"/],
    ["of no kind", envelope(), /no kind "" is registered for version ""/],
    ["compressed", envelope(typeMeta("v1", "Pod"), text(3, "gzip")), /"gzip"/],
    [
      "with a string where a message is",
      envelope(typeMeta("v1", "Pod"), wrapped(2, Uint8Array.from([0x08, 0x01]))),
      /wireType/,
    ],
  ])("%s", (_, bytes, message) => {
    expect(() => decodeProtobuf(bytes, table)).toThrow(ProtobufError);
    expect(() => decodeProtobuf(bytes, table)).toThrow(message);
  });
});

test("messages that are nested without end are refused", () => {
  // CustomResourceDefinition.spec.versions.schema.openAPIV3Schema, then `not` (28) in `not` in `not`…
  let message: Uint8Array = new Uint8Array();
  for (let depth = 0; depth < 20_000; depth++) message = wrapped(28, message);
  for (const number of [1, 4, 7, 2]) message = wrapped(number, message);
  const header = typeMeta("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  const body = envelope(header, wrapped(2, message));
  expect(() => decodeProtobuf(body, table)).toThrow("messages are nested too deeply");
});

test("the media type is recognised with parameters, in any case", () => {
  expect(isProtobuf("application/vnd.kubernetes.protobuf")).toBe(true);
  expect(isProtobuf("Application/vnd.kubernetes.Protobuf; charset=x")).toBe(true);
  expect(isProtobuf("application/json")).toBe(false);
});

/** A body of these fields. */
function envelope(...fields: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Uint8Array.from([0x6b, 0x38, 0x73, 0x00]), ...fields]);
}

function typeMeta(apiVersion: string, kind: string): Uint8Array {
  return wrapped(1, Buffer.concat([text(1, apiVersion), text(2, kind)]));
}

function text(number: number, content: string): Uint8Array {
  return wrapped(number, new TextEncoder().encode(content));
}

function wrapped(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
