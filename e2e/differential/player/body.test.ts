import { ReadableStream } from "node:stream/web";
import { expect, it } from "vitest";
import { bodyOf } from "./body.ts";

it.each([
  { what: "JSON", type: "application/json", sent: '{"a":1}', body: { value: { a: 1 } } },
  { what: "JSON of an apply", type: "application/apply-patch+yaml", sent: "[1]", body: { value: [1] } },
  { what: "YAML", type: "application/yaml", sent: "a: 1\n", body: { value: { a: 1 } } },
  { what: "JSON that is called text", type: "text/plain", sent: '{"a":1}', body: { value: { a: 1 } } },
  { what: "text", type: "text/plain; charset=utf-8", sent: "ok", body: { text: "ok" } },
  { what: "text that is called JSON", type: "application/json", sent: "no\n", body: { text: "no\n" } },
  { what: "text that begins like JSON", type: "text/plain", sent: "{no", body: { text: "{no" } },
  {
    what: "protobuf by the numbers of its fields",
    type: "",
    sent: Buffer.concat([Buffer.from("6b3873000a090a02763112036162631205080110d209", "hex")]),
    body: { binary: "protobuf", value: { 1: { 1: "v1", 2: "abc" }, 2: { 1: 1, 2: 1234 } } },
  },
  {
    what: "a watch in protobuf",
    type: "application/vnd.kubernetes.protobuf;stream=watch",
    sent: Buffer.concat([Buffer.from("000000070a054144444544", "hex"), Buffer.from("000000020801", "hex")]),
    body: { binary: "protobuf", value: [{ 1: "ADDED" }, { 1: 1 }] },
  },
  { what: "CBOR", type: "application/cbor", sent: Buffer.from("d9d9f7a0", "hex"), body: { binary: "cbor" } },
  { what: "nothing", type: "application/json", sent: "", body: {} },
])("reads $what", async ({ type, sent, body }) => {
  const bytes = Buffer.from(sent);
  // In parts, as it comes over a network.
  const parts = ReadableStream.from([bytes.subarray(0, 2), bytes.subarray(2)]);
  const answer = { status: 200, headers: type === "" ? {} : { "content-type": type }, body: parts };
  expect(await bodyOf(answer)).toEqual(body);
});
