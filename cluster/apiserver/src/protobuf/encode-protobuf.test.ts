import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseJsonExactly } from "@kedge/machinery";
import { builtinTable } from "@kedge/machinery/schema-table";
import { describe, expect, test } from "vitest";
import { decodeProtobuf, encodeProtobuf, watchFrame } from "./index.ts";
import { encodedObjects } from "./testing/encoded-objects.ts";
import { WireWriter } from "./wire-writer.ts";

describe("what Go encodes as JSON is encoded to what Go encodes as protobuf, byte for byte", () => {
  test.each(encodedObjects)("$name", ({ protobuf, json }) => {
    expect(Buffer.from(encodeProtobuf(json) ?? []).toString("base64")).toBe(protobuf);
  });
});

// Every kind with every field set, in both forms: the serialization tests of Kubernetes itself.
const corpus = join(homedir(), "go/pkg/mod/k8s.io/api@v0.36.4/testdata/HEAD");

test("every object of Kubernetes' own corpus is encoded to the same bytes", ({ skip }) => {
  skip(!existsSync(corpus), "the Go module k8s.io/api is not in this machine's module cache");
  const names = readdirSync(corpus).filter((name) => name.endsWith(".json"));
  const encoded = names.flatMap((name) => {
    const wanted = join(corpus, name.replace(/json$/u, "pb"));
    const bytes = encodeProtobuf(JSON.parse(readFileSync(join(corpus, name), "utf8")));
    // Versions that no server serves by default are not in the table.
    return bytes === undefined ? [] : [{ name, same: readFileSync(wanted).equals(bytes) }];
  });
  expect(encoded.filter(({ same }) => !same)).toEqual([]);
  expect(encoded.length).toBeGreaterThanOrEqual(100);
});

test("custom kinds have no messages", () => {
  expect(encodeProtobuf({ apiVersion: "example.com/v1", kind: "Thing", metadata: {} })).toBeUndefined();
});

test("metadata alone is a message of meta.k8s.io", () => {
  const apiVersion = "meta.k8s.io/v1";
  const metadata = { name: "a", resourceVersion: "7" };
  const items = [{ kind: "PartialObjectMetadata", apiVersion, metadata }];
  const list = encodeProtobuf({ kind: "PartialObjectMetadataList", apiVersion, metadata: {}, items });
  expect(Buffer.from(list ?? []).toString("latin1")).toContain("PartialObjectMetadataList");
  const map = encodeProtobuf({ kind: "ConfigMap", apiVersion: "v1", metadata });
  const one = encodeProtobuf({ kind: "PartialObjectMetadata", apiVersion, metadata });
  // Both have it as their first field: tag, length, content.
  const content = Buffer.from(map ?? []).subarray(22, 22 + 21);
  expect(Buffer.from(one ?? []).includes(content)).toBe(true);
  expect(Buffer.from(list ?? []).includes(content)).toBe(true);
});

test("an object comes back with all digits of its integers", () => {
  const object = parseJsonExactly(
    '{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"a"},"revision":9007199254740993,"data":{"x":[-9223372036854775808]}}',
  );
  const decoded = decodeProtobuf(encodeProtobuf(object) ?? new Uint8Array(), builtinTable());
  expect(decoded.object).toMatchObject({
    revision: 9_007_199_254_740_993n,
    data: { x: [-(2n ** 63n)] },
  });
});

test("numbers of 64 bits keep all their digits", () => {
  const numbers = [2n ** 63n - 1n, -(2n ** 63n), 9_007_199_254_740_993n];
  for (const number of numbers) {
    const writer = new WireWriter();
    writer.integer(number);
    expect(varintOf(writer.take())).toBe(number);
  }
  for (const number of [0, 1, 127, 128, 16_383, 16_384, -1, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    const writer = new WireWriter(1);
    writer.integer(number);
    expect(varintOf(writer.take())).toBe(BigInt(number));
  }
});

function varintOf(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const [index, byte] of bytes.entries()) value |= BigInt(byte & 0x7f) << BigInt(7 * index);
  return BigInt.asIntN(64, value);
}

test("texts of all lengths and alphabets survive", () => {
  const data = Object.fromEntries(
    ["", "a", "ä", "€uro", "𝒳".repeat(30), "x".repeat(5_000), "é".repeat(50)].map((text, at) => [
      `k${at}`,
      text,
    ]),
  );
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data };
  const bytes = encodeProtobuf(object) ?? new Uint8Array();
  expect(decodeProtobuf(bytes, builtinTable()).object).toEqual(object);
});

test("an event of a watch begins with its length", () => {
  const frame = Buffer.from(watchFrame("ADDED", [Buffer.from("ab"), Buffer.from("c")]));
  expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  expect(frame.subarray(4).toString("hex")).toBe("0a05414444454412050a03616263");
});
