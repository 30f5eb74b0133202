import { describe, expect, test } from "vitest";
import { JsonPatchError } from "./json-patch-error.ts";
import { applyJsonPatch, type JsonPatchStep } from "./json-patch.ts";

const document = { o: { a: 1 }, l: [1, 2], s: "x", n: null };

const invalidIndex = (index: number): string =>
  `Unable to access invalid index: ${index}: invalid index referenced`;

// The expected texts are those of gopkg.in/evanphx/json-patch.v4 v4.13.0 for the same patches.
describe("what does not apply is refused in kube-apiserver's words", () => {
  test.each<[JsonPatchStep, string]>([
    [
      { op: "add", path: "/x/y", value: 1 },
      'add operation does not apply: doc is missing path: "/x/y": missing value',
    ],
    [
      { op: "add", path: "/n/y", value: 1 },
      'add operation does not apply: doc is missing path: "/n/y": missing value',
    ],
    [
      { op: "add", path: "/s/y", value: 1 },
      'add operation does not apply: doc is missing path: "/s/y": missing value',
    ],
    [
      { op: "add", path: "/l/9/y", value: 1 },
      'add operation does not apply: doc is missing path: "/l/9/y": missing value',
    ],
    [
      { op: "add", path: "", value: {} },
      'add operation does not apply: doc is missing path: "": missing value',
    ],
    [
      { op: "add", path: "x", value: 1 },
      'add operation does not apply: doc is missing path: "x": missing value',
    ],
    [{ op: "add", path: "/l/3", value: 1 }, `error in add for path: '/l/3': ${invalidIndex(3)}`],
    [{ op: "add", path: "/l/-4", value: 1 }, `error in add for path: '/l/-4': ${invalidIndex(-4)}`],
    [
      { op: "add", path: "/l/1e0", value: 1 },
      `error in add for path: '/l/1e0': value was not a proper array index: '1e0': strconv.Atoi: parsing "1e0": invalid syntax`,
    ],
    [{ op: "add", value: 1 }, "add operation failed to decode path: missing value"],
    [{ op: "add", path: 7, value: 1 }, "add operation failed to decode path: missing value"],
    [{ op: "remove", path: "" }, 'remove operation does not apply: doc is missing path: "": missing value'],
    [
      { op: "remove", path: "/x" },
      "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
    ],
    [
      { op: "remove", path: "/o/toString" },
      "error in remove for path: '/o/toString': Unable to remove nonexistent key: toString: missing value",
    ],
    [{ op: "remove", path: "/l/2" }, `error in remove for path: '/l/2': ${invalidIndex(2)}`],
    [{ op: "remove", path: "/l/-3" }, `error in remove for path: '/l/-3': ${invalidIndex(-3)}`],
    [
      { op: "remove", path: "/l/-" },
      `error in remove for path: '/l/-': strconv.Atoi: parsing "-": invalid syntax`,
    ],
    [{ op: "remove" }, "remove operation failed to decode path: missing value"],
    [
      { op: "replace", path: "/x/y", value: 1 },
      "replace operation does not apply: doc is missing path: /x/y: missing value",
    ],
    [
      { op: "replace", path: "/l/2", value: 1 },
      "replace operation does not apply: doc is missing key: /l/2: missing value",
    ],
    [
      { op: "replace", value: 1 },
      "replace operation failed to decode path: operation missing path field: missing value",
    ],
    [{ op: "replace", path: "", value: 1 }, "replace operation value must be object or array"],
    [
      { op: "move", from: "/x", path: "/y" },
      "error in move for path: 'x': Unable to remove nonexistent key: x: missing value",
    ],
    [
      { op: "move", from: "/x/y", path: "/y" },
      "move operation does not apply: doc is missing from path: /x/y: missing value",
    ],
    [
      { op: "move", from: "/o", path: "/o/b" },
      "move operation does not apply: doc is missing destination path: /o/b: missing value",
    ],
    [{ op: "move", from: "/l/5", path: "/y" }, `error in move for path: '5': ${invalidIndex(5)}`],
    [{ op: "move", from: "/o", path: "/l/5" }, `error in move for path: '/l/5': ${invalidIndex(5)}`],
    [
      { op: "move", path: "/y" },
      "move operation failed to decode from: operation, missing from field: missing value",
    ],
    [
      { op: "move", from: "/o" },
      "move operation failed to decode path: operation missing path field: missing value",
    ],
    [
      { op: "copy", from: "", path: "/y" },
      "copy operation does not apply: doc is missing from path: : missing value",
    ],
    [{ op: "copy", from: "/l/5", path: "/y" }, `error in copy for from: '/l/5': ${invalidIndex(5)}`],
    [
      { op: "copy", from: "/o", path: "/x/y" },
      "copy operation does not apply: doc is missing destination path: /x/y: missing value",
    ],
    [{ op: "copy", from: "/o", path: "/l/5" }, `error while adding value during copy: ${invalidIndex(5)}`],
    [{ op: "copy", from: "/o" }, "copy operation failed to decode path: missing value"],
    [{ op: "test", path: "/o", value: { a: 2 } }, "testing value /o failed: test failed"],
    [{ op: "test", path: "/o" }, "testing value /o failed: test failed"],
    [{ op: "test", path: "", value: {} }, "testing value  failed: test failed"],
    [
      { op: "test", path: "/x/y", value: 1 },
      "test operation does not apply: is missing path: /x/y: missing value",
    ],
    [{ op: "test", path: "/l/5", value: 1 }, `error in test for path: '/l/5': ${invalidIndex(5)}`],
    [{ op: "test" }, "test operation failed to decode path: operation missing path field: missing value"],
    [{ op: "merge", path: "/o" }, "Unexpected kind: merge"],
    [{ path: "/o" }, "Unexpected kind: unknown"],
  ])("%j", (step, message) => {
    expect(messageOf(() => applyJsonPatch(document, [step]))).toBe(message);
  });
});

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof JsonPatchError ? error.message : "not a JsonPatchError";
  }
  return "no error";
}
