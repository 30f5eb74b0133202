import { describe, expect, test } from "vitest";
import type { Asked } from "../cel/library/authorization.ts";
import {
  appliedObject,
  Evaluation,
  OutOfBudget,
  patchOperations,
  type AdmissionInput,
} from "./evaluation.ts";
import { compileAdmission, Composition, type Returns } from "./expression.ts";

const asked: Asked[] = [];
const input: AdmissionInput = {
  object: { metadata: { name: "a", labels: { app: "web" } }, spec: { replicas: 3, ratio: 0.5 } },
  oldObject: undefined,
  request: { operation: "CREATE", userInfo: { username: "jane", groups: ["dev"] } },
  params: { limit: 2 },
  namespaceObject: { metadata: { labels: { env: "prod" } } },
  authorizer: {
    check: (each) => {
      asked.push(each);
      return { allowed: each.verb === "get", reason: "because" };
    },
    requestResource: { group: "", plural: "pods", subresource: "", namespace: "n", name: "a" },
  },
};
const names = { params: true, authorizer: true };

function run(source: string, returns: Returns = "anything"): unknown {
  const compiled = compileAdmission(source, returns, { ...names, patches: true });
  return compiled.wrong ?? new Evaluation(input, 1_000_000).run(compiled);
}

describe("an expression of admission", () => {
  test.for([
    ["object.spec.replicas == 3 && object.spec.ratio < 1.0", true],
    ["oldObject == null", true],
    ["has(object.metadata.annotations)", false],
    ["object.metadata.labels.exists(key, key == 'app')", true],
    ["request.userInfo.groups.exists(g, g == 'dev')", true],
    ["namespaceObject.metadata.labels.env", "prod"],
    ["params.limit < object.spec.replicas", true],
    ["authorizer.group('apps').resource('deployments').namespace('n').check('get').allowed()", true],
    ["authorizer.requestResource.check('delete').allowed()", false],
    ["authorizer.path('/healthz').check('get').reason()", "because"],
    ["authorizer.serviceAccount('n', 'robot').group('').resource('pods').check('get').allowed()", true],
    ["jsonpatch.escapeKey('a/b~c')", "a~1b~0c"],
  ])("%s", ([source, value]) => {
    expect(run(String(source))).toEqual({ value });
  });

  test("is told what it asks the authorizer", () => {
    asked.length = 0;
    run(
      "authorizer.serviceAccount('n', 'robot').group('').resource('pods').subresource('log').check('get').allowed()",
    );
    expect(asked).toEqual([
      {
        serviceAccount: { namespace: "n", name: "robot" },
        resource: { group: "", plural: "pods", subresource: "log", namespace: "", name: "" },
        verb: "get",
      },
    ]);
  });

  test("that fails says which it was, and why", () => {
    expect(run("object.spec.missing == 1")).toEqual({
      error: "expression 'object.spec.missing == 1' resulted in error: no such key: missing",
    });
  });

  test("has to give what is asked for", () => {
    expect(run("1", "bool")).toBe("must evaluate to bool but got int");
    expect(run("1", "string or null")).toBe("must evaluate to one of [string null_type] but got int");
    expect(run("[JSONPatch{op: 1}]", "patch")).toContain(
      "expected type of field 'op' is 'string' but provided type is 'int'",
    );
    expect(run("request.bogus", "bool")).toContain("undefined field 'bogus'");
  });

  test("cannot name what it may not know", () => {
    const { wrong } = compileAdmission("authorizer == null || params == null", "bool", {
      params: false,
      authorizer: false,
    });
    expect(wrong).toContain("undeclared reference to 'authorizer'");
    expect(wrong).toContain("undeclared reference to 'params'");
  });

  test("makes an object, whose types are named after its fields", () => {
    const object = compileAdmission(
      "Object{spec: Object.spec{replicas: 5, ?paused: optional.none(), ?ready: optional.of(true)}}",
      "object",
      { ...names, patches: true },
    );
    const made = new Evaluation(input, 1_000_000).run(object);
    expect(appliedObject("value" in made ? made.value : null)).toEqual({
      spec: { replicas: 5, ready: true },
    });
    const wrong = compileAdmission("Object{spec: Object.other{}}", "object", { ...names, patches: true });
    const misplaced = new Evaluation(input, 1_000_000).run(wrong);
    expect(() => appliedObject("value" in misplaced ? misplaced.value : null)).toThrow(
      'type mismatch: unexpected type name "Object.other", expected "Object.spec"',
    );
  });

  test("makes a patch", () => {
    const patch = compileAdmission(
      "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 1}}, JSONPatch{op: 'remove', path: '/x'}]",
      "patch",
      { ...names, patches: true },
    );
    const made = new Evaluation(input, 1_000_000).run(patch);
    expect(patchOperations("value" in made ? made.value : null)).toEqual([
      { op: "add", path: "/metadata/labels", value: { a: 1 } },
      { op: "remove", path: "/x" },
    ]);
  });
});

describe("variables", () => {
  test("may name those before them, and are evaluated once", () => {
    const composition = new Composition();
    composition.add("allowed", "authorizer.requestResource.check('get').allowed()", names);
    composition.add("both", "variables.allowed && variables.allowed", names);
    const uses = compileAdmission("variables.both && variables.allowed", "bool", {
      ...names,
      variables: composition.types,
    });
    asked.length = 0;
    expect(new Evaluation(input, 1_000_000, composition).run(uses)).toEqual({ value: true });
    expect(asked).toHaveLength(1);
  });

  test("that fail make those fail that name them", () => {
    const composition = new Composition();
    composition.add("size", "object.spec.none.size()", names);
    const uses = compileAdmission("variables.size > 1", "bool", { ...names, variables: composition.types });
    expect(new Evaluation(input, 1_000_000, composition).run(uses)).toEqual({
      error:
        "expression 'variables.size > 1' resulted in error: composited variable \"size\" fails to evaluate: no such key: none",
    });
  });

  test("count for what the policy may cost", () => {
    const composition = new Composition();
    composition.add("allowed", "authorizer.requestResource.check('get').allowed()", names);
    const uses = compileAdmission("variables.allowed", "bool", { ...names, variables: composition.types });
    expect(() => new Evaluation(input, 300_000, composition).run(uses)).toThrow(OutOfBudget);
  });
});
