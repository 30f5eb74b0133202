import { expect, test } from "vitest";
import { findByJsonPath, parseJsonPath } from "./json-path.ts";

const object = {
  metadata: { labels: { "a.b/c": "x" }, name: "n" },
  spec: {
    list: [
      { name: "a", value: 1 },
      { name: "b", value: 2, deep: { name: "c" } },
    ],
    empty: [],
  },
};

test.each([
  [".metadata.name", ["n"]],
  ["$.metadata.name", ["n"]],
  ["metadata.name", ["n"]],
  [".metadata.labels.a\\.b/c", ["x"]],
  [".metadata.labels['a.b/c']", ["x"]],
  ['.metadata["labels"]["a.b/c"]', ["x"]],
  [".spec.list[*].name", ["a", "b"]],
  [".spec.list.*.name", ["a", "b"]],
  [".spec.list[1].name", ["b"]],
  [".spec.list[-1].name", ["b"]],
  [".spec.list[0:1].name", ["a"]],
  [".spec.list[5].name", []],
  ['.spec.list[?(@.name=="b")].value', [2]],
  [".spec.list[?(@.name == 'b')].value", [2]],
  [".spec.list[?(@.value>1)].name", ["b"]],
  [".spec.list[?(@.deep)].name", ["b"]],
  ['.spec.list[?(@.name!="b")].name', ["a"]],
  [".spec.empty[*].name", []],
  [".spec.nothing.here", []],
  [".spec..name", ["a", "b", "c"]],
])("%s", (path, found) => {
  expect(findByJsonPath(parseJsonPath(path) ?? [], object)).toEqual(found);
});

test.each([".a[", ".a[?(", ".", "..", ".a[b]"])("%s is no path", (path) => {
  expect(parseJsonPath(path)).toBeUndefined();
});
