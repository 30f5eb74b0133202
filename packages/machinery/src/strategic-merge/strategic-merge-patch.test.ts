import { describe, expect, test } from "vitest";
import { builtin } from "../apply/testing/apply-to.ts";
import { deepFreeze } from "../json/deep-freeze.ts";
import { StrategicPatchError } from "./patch-error.ts";
import { strategicMergePatch } from "./strategic-merge-patch.ts";

const pod = builtin("io.k8s.api.core.v1.Pod");
const deployment = builtin("io.k8s.api.apps.v1.Deployment");

function patchPod(original: Record<string, unknown>, patch: Record<string, unknown>): unknown {
  return strategicMergePatch(deepFreeze(original), deepFreeze(patch), pod);
}

/** Patches the spec of a pod. */
function patchSpec(original: object, patch: object): unknown {
  const { spec } = patchPod({ spec: original }, { spec: patch }) as { spec: unknown };
  return spec;
}

const containers = (...names: readonly string[]) => ({ containers: names.map((name) => ({ name })) });

describe("as a merge patch", () => {
  test.each([
    ["objects are merged", { a: "1", b: "1" }, { b: "2", c: "2" }, { a: "1", b: "2", c: "2" }],
    ["null deletes", { a: "1", b: "1" }, { a: null, z: null }, { b: "1" }],
    ["scalars are replaced", { a: "1" }, { a: 2 }, { a: 2 }],
  ])("%s", (_, original, patch, expected) => {
    expect(patchPod({ metadata: { labels: original } }, { metadata: { labels: patch } })).toEqual({
      metadata: { labels: expected },
    });
  });

  test("nulls of what is new are left out", () => {
    expect(
      patchPod({}, { spec: { nodeName: null, securityContext: { fsGroup: null, runAsUser: 1 } } }),
    ).toEqual({
      spec: { securityContext: { runAsUser: 1 } },
    });
  });

  test("lists without a strategy are replaced", () => {
    const args = (...list: readonly string[]) => ({ containers: [{ name: "a", args: list }] });
    expect(patchSpec(args("1", "2"), args("3"))).toEqual(args("3"));
  });
});

describe("lists of objects", () => {
  test("are merged by key, the patch's first where they are new to each other", () => {
    const patch = { containers: [{ name: "b", image: "2" }, { name: "c" }] };
    expect(patchSpec(containers("a", "b"), patch)).toEqual({
      containers: [{ name: "a" }, { name: "b", image: "2" }, { name: "c" }],
    });
  });

  test("lose what `$patch: delete` names", () => {
    const patch = { containers: [{ name: "a", $patch: "delete" }, { name: "c" }] };
    expect(patchSpec(containers("a", "b"), patch)).toEqual(containers("c", "b"));
  });

  test("are replaced by `$patch: replace`", () => {
    const patch = { containers: [{ $patch: "replace" }, { name: "z" }] };
    expect(patchSpec(containers("a", "b"), patch)).toEqual(containers("z"));
  });

  test("have the order that `$setElementOrder` gives, the others where they stood", () => {
    const order = (...names: readonly string[]) => ({
      "$setElementOrder/containers": names.map((name) => ({ name })),
    });
    expect(patchSpec(containers("a", "b", "c"), order("c", "a"))).toEqual(containers("b", "c", "a"));
    expect(patchSpec(containers("a", "b"), { ...order("c", "b"), ...containers("c") })).toEqual(
      containers("c", "a", "b"),
    );
  });

  test("keep the place of what is deleted for what is added, as the server does", () => {
    const patch = {
      "$setElementOrder/containers": [{ name: "b" }],
      containers: [{ name: "b" }, { name: "c", $patch: "delete" }],
    };
    expect(patchSpec(containers("c", "a"), patch)).toEqual(containers("a", "b"));
  });
});

describe("lists of scalars", () => {
  const patch = (original: readonly string[], fields: object) =>
    patchPod({ metadata: { finalizers: original } }, { metadata: fields }) as {
      metadata: { finalizers: string[] };
    };

  test("are merged as sets", () => {
    expect(patch(["a", "b"], { finalizers: ["c", "a"] }).metadata.finalizers).toEqual(["c", "a", "b"]);
  });

  test("lose what `$deleteFromPrimitiveList` names", () => {
    const fields = { "$deleteFromPrimitiveList/finalizers": ["a", "x"] };
    expect(patch(["a", "b"], fields).metadata.finalizers).toEqual(["b"]);
  });

  test("keep what is both deleted and added", () => {
    const fields = { "$deleteFromPrimitiveList/finalizers": ["a"], finalizers: ["a"] };
    expect(patch(["a", "b"], fields).metadata.finalizers).toEqual(["a", "b"]);
  });

  test("are put in order", () => {
    const fields = { "$setElementOrder/finalizers": ["c", "b", "a"], finalizers: ["c"] };
    expect(patch(["a", "b"], fields).metadata.finalizers).toEqual(["c", "b", "a"]);
  });
});

describe("objects with directives", () => {
  const strategy = (original: object, patch: object) =>
    strategicMergePatch({ spec: { strategy: original } }, { spec: { strategy: patch } }, deployment);
  const rolling = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } };

  test("are replaced by `$patch: replace`, and emptied by `$patch: delete`", () => {
    expect(strategy(rolling, { $patch: "replace", type: "Recreate" })).toEqual({
      spec: { strategy: { type: "Recreate" } },
    });
    expect(strategy(rolling, { $patch: "delete" })).toEqual({ spec: { strategy: {} } });
  });

  test("keep only what `$retainKeys` names", () => {
    expect(strategy(rolling, { $retainKeys: ["type"], type: "Recreate" })).toEqual({
      spec: { strategy: { type: "Recreate" } },
    });
  });

  test("are left out where there is nothing to direct", () => {
    expect(patchPod({}, { spec: { affinity: { $patch: "delete" }, nodeName: "n" } })).toEqual({
      spec: { nodeName: "n" },
    });
  });
});

describe("patches that make no sense", () => {
  const error = (original: object, patch: object): StrategicPatchError => {
    try {
      patchSpec(original, patch);
    } catch (cause) {
      if (cause instanceof StrategicPatchError) return cause;
      throw cause;
    }
    throw new Error("did not fail");
  };

  test.each([
    [
      "an item without its merge key",
      containers("a"),
      { containers: [{ image: "1" }] },
      "map: map[image:1] does not contain declared merge key: name",
      500,
    ],
    [
      "an unknown directive",
      { securityContext: {} },
      { securityContext: { $patch: "fly" } },
      "unknown patch type: fly in map: map[$patch:fly]",
      500,
    ],
    [
      "a directive that is no text",
      { securityContext: {} },
      { securityContext: { $patch: 7 } },
      "unknown patch type: %!s(int64=7) in map: map[$patch:7]",
      500,
    ],
    [
      "a directive that is null",
      { securityContext: {} },
      { securityContext: { $patch: null } },
      "unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]",
      500,
    ],
    [
      "merging as a directive in a list",
      containers("a"),
      { containers: [{ name: "a", $patch: "merge" }] },
      "merging lists cannot yet be specified in the patch",
      500,
    ],
    [
      "an order that is not that of the patch",
      containers("a"),
      { "$setElementOrder/containers": [{ name: "a" }, { name: "b" }], ...containers("b", "a") },
      "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
      500,
    ],
    [
      "an order without a field",
      {},
      { $setElementOrder: [] },
      "invalid patch format of setElementOrder list",
      400,
    ],
    [
      "an order that is no list",
      {},
      { "$setElementOrder/containers": 1 },
      "expected a []interface {}, but received a int64",
      500,
    ],
    [
      "keys to retain that do not name all of the patch",
      {},
      { $retainKeys: ["nodeName"], hostname: "h" },
      "invalid patch format of retainKeys",
      400,
    ],
    [
      "deletions without a field",
      {},
      { $deleteFromPrimitiveList: [] },
      "invalid patch format of primitive list",
      400,
    ],
    [
      "a field that the type does not have",
      { none: { a: 1 } },
      { none: { a: 2 } },
      'unable to find api field in struct PodSpec for the json field "none"',
      500,
    ],
    [
      "an object inside of a map of text",
      { nodeSelector: { a: { b: 1 } } },
      { nodeSelector: { a: { b: 2 } } },
      "merging an object in json but data type is not struct, instead is: map",
      500,
    ],
    [
      "items of different types",
      containers("a"),
      { containers: ["a"] },
      "list element types are not identical: [[map[name:a]] [a]]",
      500,
    ],
  ])("%s", (_, original, patch, message, code) => {
    expect(error(original, patch)).toMatchObject({ message, code });
  });

  test("fields are found in any case of letters, as Go does", () => {
    expect(patchSpec({ SecurityContext: { a: 1 } }, { SecurityContext: { b: 2 } })).toEqual({
      SecurityContext: { a: 1, b: 2 },
    });
  });
});
