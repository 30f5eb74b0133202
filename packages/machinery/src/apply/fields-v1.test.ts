import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../json/deep-freeze.ts";
import type { JsonObject } from "../json-value.ts";
import { pathsOf, pathText } from "./field-set.ts";
import { readFieldsV1, writeFieldsV1 } from "./fields-v1.ts";
import { arbitraryFieldSet } from "./testing/arbitrary-field-set.ts";

function rewritten(fields: object): string {
  return JSON.stringify(writeFieldsV1(readFieldsV1(fields)));
}

describe("what was read or written before", () => {
  const fields = { "f:b": {}, "f:a": { ".": {}, "f:c": {} } };

  test("is known once it is frozen", () => {
    const stored = deepFreeze(structuredClone(fields));
    const set = readFieldsV1(stored);
    expect(readFieldsV1(stored)).toBe(set);
    // What others have written is put in order.
    const written = deepFreeze(writeFieldsV1(set));
    expect(JSON.stringify(written)).toBe('{"f:a":{".":{},"f:c":{}},"f:b":{}}');
    expect(writeFieldsV1(set)).toBe(written);
    expect(readFieldsV1(written)).toBe(set);
  });

  test("is looked at again while it may change", () => {
    const sent: JsonObject = structuredClone(fields);
    readFieldsV1(sent);
    sent["f:d"] = {};
    expect(pathsOf(readFieldsV1(sent)).map(pathText)).toContain(".d");
    const set = readFieldsV1(sent);
    const written = writeFieldsV1(set);
    delete written["f:d"];
    expect(writeFieldsV1(set)).toHaveProperty("f:d");
  });
});

describe("reading and writing", () => {
  test.each([
    ["nothing", {}],
    ["a leaf", { "f:a": {} }],
    ["a parent that is no member", { "f:a": { "f:b": {} } }],
    ["a parent that is one", { "f:a": { ".": {}, "f:b": {} } }],
    ["items of lists", { 'k:{"name":"a"}': { ".": {}, "f:name": {} }, 'v:"x"': {}, "i:0": {} }],
  ])("gives back %s", (_, fields) => {
    expect(rewritten(fields)).toBe(JSON.stringify(fields));
  });

  test("orders fields, then keyed items, then items of sets, then indexes, each in their own order", () => {
    const fields = {
      "i:10": {},
      "i:9": {},
      'v:"b"': {},
      "v:true": {},
      "v:10": {},
      "v:9": {},
      'k:{"port":80}': {},
      'k:{"port":9}': {},
      'k:{"name":"z"}': {},
      "f:b": {},
      "f:\u{1F600}": {},
      "f:\uFFFD": {},
      "f:B": {},
    };
    expect(Object.keys(writeFieldsV1(readFieldsV1(fields)))).toEqual([
      "f:B",
      "f:b",
      "f:\uFFFD",
      "f:\u{1F600}",
      'k:{"name":"z"}',
      'k:{"port":9}',
      'k:{"port":80}',
      "v:9",
      "v:10",
      'v:"b"',
      "v:true",
      "i:9",
      "i:10",
    ]);
  });

  test("writes keys in order, and characters of HTML as escapes, as Go does", () => {
    expect(rewritten({ 'k:{"z":1,"a":"<b>"}': {} })).toBe(
      JSON.stringify({ 'k:{"a":"\\u003cb\\u003e","z":1}': {} }),
    );
  });

  test("leaves out kinds of elements that it does not know", () => {
    expect(rewritten({ "f:a": {}, "z:b": { "f:c": {} } })).toBe('{"f:a":{}}');
    expect(rewritten({ "f:a": { "z:b": {} } })).toBe('{"f:a":{}}');
  });

  test.each([
    ["without a colon", { abc: {} }, "missing colon: abc"],
    ["too short", { f: {} }, "key must be 2 characters long"],
    ["with broken JSON", { "k:{": {} }, "JSON"],
    ["with keys that are none", { "k:1": {} }, "must hold keys: k:1"],
    ["with an index that is none", { "i:x": {} }, "must be an index: i:x"],
    ["with a value that is no object", { "f:a": 1 }, "f:a: must be an object, not 1"],
  ])("refuses an element %s", (_, fields, message) => {
    expect(() => readFieldsV1(fields)).toThrow(message);
  });

  test("is the same after any round trip", () => {
    fc.assert(
      fc.property(arbitraryFieldSet, (set) => {
        const written = JSON.stringify(writeFieldsV1(set));
        expect(rewritten(JSON.parse(written) as object)).toBe(written);
      }),
    );
  });
});

test("paths are shown as messages show them", () => {
  const set = readFieldsV1({
    "f:spec": {
      'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:name": {} },
      'v:"a\\"b"': {},
      "i:3": {},
    },
    "f:data": {},
  });
  expect(pathsOf(set).map(pathText)).toEqual([
    ".data",
    '.spec[containerPort=80,protocol="TCP"]',
    '.spec[="a\\"b"]',
    ".spec[3]",
    '.spec[containerPort=80,protocol="TCP"].name',
  ]);
});
