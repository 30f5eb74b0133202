import { describe, expect, test } from "vitest";
import { deepFreeze } from "./deep-freeze.ts";
import { JsonPatchError } from "./json-patch-error.ts";
import { applyJsonPatch, readJsonPatch, type JsonPatchOperation, type JsonPatchStep } from "./json-patch.ts";

describe("the examples of RFC 6902, appendix A", () => {
  test.each<[string, unknown, JsonPatchOperation[], unknown]>([
    [
      "A.1 add a member",
      { foo: "bar" },
      [{ op: "add", path: "/baz", value: "qux" }],
      { baz: "qux", foo: "bar" },
    ],
    [
      "A.2 add an item",
      { foo: ["bar", "baz"] },
      [{ op: "add", path: "/foo/1", value: "qux" }],
      { foo: ["bar", "qux", "baz"] },
    ],
    ["A.3 remove a member", { baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
    [
      "A.4 remove an item",
      { foo: ["bar", "qux", "baz"] },
      [{ op: "remove", path: "/foo/1" }],
      { foo: ["bar", "baz"] },
    ],
    [
      "A.5 replace a value",
      { baz: "qux", foo: "bar" },
      [{ op: "replace", path: "/baz", value: "boo" }],
      { baz: "boo", foo: "bar" },
    ],
    [
      "A.6 move a value",
      { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
      [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
      { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
    ],
    [
      "A.7 move an item",
      { foo: ["all", "grass", "cows", "eat"] },
      [{ op: "move", from: "/foo/1", path: "/foo/3" }],
      { foo: ["all", "cows", "eat", "grass"] },
    ],
    [
      "A.8 test a value: success",
      { baz: "qux", foo: ["a", 2, "c"] },
      [
        { op: "test", path: "/baz", value: "qux" },
        { op: "test", path: "/foo/1", value: 2 },
      ],
      { baz: "qux", foo: ["a", 2, "c"] },
    ],
    [
      "A.10 add a nested object",
      { foo: "bar" },
      [{ op: "add", path: "/child", value: { grandchild: {} } }],
      { foo: "bar", child: { grandchild: {} } },
    ],
    ["A.14 ~ escapes", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: 10 }], { "/": 9, "~1": 10 }],
    [
      "A.16 add a list as an item",
      { foo: ["bar"] },
      [{ op: "add", path: "/foo/-", value: ["abc", "def"] }],
      { foo: ["bar", ["abc", "def"]] },
    ],
  ])("%s", (_name, document, patch, expected) => {
    expect(applyJsonPatch(document, patch)).toEqual(expected);
  });

  test("A.11 unknown members of an operation are ignored", () => {
    const patch = readJsonPatch([{ op: "add", path: "/baz", value: "qux", xyz: 123 }]);
    expect(applyJsonPatch({ foo: "bar" }, patch)).toEqual({ foo: "bar", baz: "qux" });
  });

  test.each<[string, unknown, JsonPatchStep, string]>([
    ["A.9 test a value: error", { baz: "qux" }, { op: "test", path: "/baz", value: "bar" }, "TestFailed"],
    [
      "A.12 add to a missing target",
      { foo: "bar" },
      { op: "add", path: "/baz/bat", value: "qux" },
      "Missing",
    ],
    ["A.15 text is not a number", { "~1": 10 }, { op: "test", path: "/~01", value: "10" }, "TestFailed"],
  ])("%s", (_name, document, step, reason) => {
    expect(() => applyJsonPatch(document, [step])).toThrow(expect.objectContaining({ reason }));
  });
});

describe("what kube-apiserver's library accepts beyond the standard", () => {
  test.each<[string, unknown, JsonPatchStep, unknown]>([
    ["replace sets a missing key", { a: 1 }, { op: "replace", path: "/b", value: 2 }, { a: 1, b: 2 }],
    ["a missing value is null", { a: 1 }, { op: "add", path: "/a" }, { a: null }],
    ["copy of a missing key copies null", {}, { op: "copy", from: "/x", path: "/y" }, { y: null }],
    ["test of a missing key against null holds", {}, { op: "test", path: "/x", value: null }, {}],
    ["-1 is the last item", [1, 2], { op: "remove", path: "/-1" }, [1]],
    ["-1 adds at the end", [1, 2], { op: "add", path: "/-1", value: 3 }, [1, 2, 3]],
    ["-3 adds at the start of two", [1, 2], { op: "add", path: "/-3", value: 0 }, [0, 1, 2]],
    ["indices may have signs and zeros", [1, 2], { op: "replace", path: "/+01", value: 3 }, [1, 3]],
    ["what precedes the first slash is not looked at", { a: 1 }, { op: "remove", path: "x/a" }, {}],
    ["the whole document can be replaced", { a: 1 }, { op: "replace", path: "", value: [1] }, [1]],
    ["the whole document can be tested", { a: 1 }, { op: "test", path: "", value: { a: 1 } }, { a: 1 }],
    ["the empty key is a key", { "": { "": 1 } }, { op: "replace", path: "//", value: 2 }, { "": { "": 2 } }],
  ])("%s", (_name, document, step, expected) => {
    expect(applyJsonPatch(document, [step])).toEqual(expected);
  });
});

describe("applyJsonPatch", () => {
  test("applies in order, each step on the outcome of the last", () => {
    const patch: JsonPatchOperation[] = [
      { op: "add", path: "/list", value: [] },
      { op: "add", path: "/list/-", value: { name: "a" } },
      { op: "copy", from: "/list/0", path: "/list/-" },
      { op: "replace", path: "/list/1/name", value: "b" },
    ];
    expect(applyJsonPatch({}, patch)).toEqual({ list: [{ name: "a" }, { name: "b" }] });
  });

  test("changes neither document nor patch, also when it fails half-way", () => {
    const document = deepFreeze({ a: { b: [1] } });
    const patch = deepFreeze([
      { op: "add", path: "/v", value: { x: [] } },
      { op: "add", path: "/v/x/-", value: 1 },
      { op: "add", path: "/a/b/-", value: 2 },
    ]);
    expect(applyJsonPatch(document, patch)).toEqual({ a: { b: [1, 2] }, v: { x: [1] } });
    expect(() => applyJsonPatch(document, [...patch, { op: "remove", path: "/gone" }])).toThrow(
      JsonPatchError,
    );
    expect(document).toEqual({ a: { b: [1] } });
    expect(patch[0]).toEqual({ op: "add", path: "/v", value: { x: [] } });
  });

  test("treats __proto__ as a key, and reaches no prototype", () => {
    const patched = applyJsonPatch({}, [
      { op: "add", path: "/__proto__", value: {} },
      { op: "add", path: "/__proto__/polluted", value: true },
    ]);
    expect(JSON.stringify(patched)).toBe('{"__proto__":{"polluted":true}}');
    expect(() => applyJsonPatch({}, [{ op: "add", path: "/__proto__/polluted", value: true }])).toThrow(
      "doc is missing path",
    );
    expect(() => applyJsonPatch({}, [{ op: "add", path: "/constructor/polluted", value: true }])).toThrow(
      "doc is missing path",
    );
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("refuses copies that grow past the limit", () => {
    const doubling = Array.from({ length: 30 }, (): JsonPatchOperation => ({
      op: "copy",
      from: "/a",
      path: "/a/-",
    }));
    expect(() => applyJsonPatch({ a: [] }, doubling, { maxCopyBytes: 1000 })).toThrow(
      "Unable to complete the copy, the accumulated size increase of copy is 1269, exceeding the limit 1000",
    );
    expect(applyJsonPatch({ a: "é" }, [{ op: "copy", from: "/a", path: "/b" }], { maxCopyBytes: 4 })).toEqual(
      {
        a: "é",
        b: "é",
      },
    );
  });
});

describe("readJsonPatch", () => {
  test.each([
    [{ op: "add" }, "a JSON patch must be a list of operations"],
    [[{ op: "add" }, "remove"], "operation 1 of the JSON patch must be an object"],
  ])("refuses %j", (value, message) => {
    expect(() => readJsonPatch(value)).toThrow(message);
  });
});
