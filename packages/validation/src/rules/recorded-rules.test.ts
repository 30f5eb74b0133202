import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fieldErrorBody, fieldPath, finish } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { checkSchema } from "../check/check-schema.ts";
import { compileSchema } from "../compile-schema.ts";
import type { JsonSchema } from "../json-schema.ts";

/** What a real kube-apiserver 1.36 answered to definitions with a rule, and to objects of them. */
interface Recorded {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly values: Readonly<Record<string, unknown>>;
  readonly cases: readonly Case[];
}

interface Case {
  readonly on: string;
  readonly rules: NonNullable<JsonSchema["x-kubernetes-validations"]>;
  readonly refused?: readonly Cause[];
  readonly answers: readonly {
    readonly value?: unknown;
    readonly before?: unknown;
    readonly causes?: readonly Cause[];
    readonly warnings?: readonly string[];
  }[];
}

type Cause = readonly [field: string, reason: string, message: string];

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "../testing/recorded-rules.json"), "utf8"),
) as Recorded;

function schemaOf({ on, rules }: Case): JsonSchema {
  const c: JsonSchema = { ...recorded.schemas[on], "x-kubernetes-validations": rules };
  return { type: "object", properties: { spec: { type: "object", properties: { c } } } };
}

function titleOf({ on, rules }: Case): string {
  return `${on}: ${rules.map(({ rule, messageExpression }) => [rule, messageExpression].filter(Boolean).join(" / ")).join("; ")}`;
}

describe("a rule is compiled as by a real server", () => {
  test.each(recorded.cases.map((each) => [titleOf(each), each] as const))("%s", (_, each) => {
    const errors = checkSchema(schemaOf(each), fieldPath("spec", "validation", "openAPIV3Schema"), {
      statusSubresource: false,
    });
    const ours = errors.map((error) => [
      error.field.replace("spec.validation.openAPIV3Schema.properties[spec].properties[c]", ""),
      error.type,
      fieldErrorBody(error),
    ]);
    expect(ours).toEqual(each.refused ?? []);
  });
});

describe("a rule is evaluated as by a real server", () => {
  const accepted = recorded.cases.filter(
    ({ refused, answers }) => refused === undefined && answers.length > 0,
  );
  test.each(accepted.map((each) => [titleOf(each), each] as const))("%s", (_, each) => {
    const compiled = compileSchema(schemaOf(each));
    for (const answer of each.answers) {
      const value = "value" in answer ? answer.value : recorded.values[each.on];
      const before =
        typeof answer.before === "string" ? (recorded.values[answer.before] ?? answer.before) : answer.before;
      const object = (c: unknown): unknown => ({
        apiVersion: "v1",
        kind: "T",
        metadata: { name: "x" },
        spec: { c },
      });
      const steps = compiled.validateRules(object(value), before === undefined ? undefined : object(before));
      const { errors, warnings } = steps === undefined ? { errors: [], warnings: [] } : finish(steps);
      expect(errors.map((error) => [error.field, error.type, fieldErrorBody(error)])).toEqual(
        answer.causes ?? [],
      );
      expect(warnings).toEqual(answer.warnings ?? []);
    }
  });
});
