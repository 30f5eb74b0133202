import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clone, fieldErrorBody, fieldErrorText } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { compileSchema } from "./compile-schema.ts";
import type { JsonSchema } from "./json-schema.ts";

/** What a real kube-apiserver 1.36 answered to objects with `spec.<name>: value`. */
interface Recorded {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly answers: readonly Answer[];
}

interface Answer {
  readonly value: unknown;
  /** What became of the value; `absent` when it was dropped. */
  readonly result?: unknown;
  readonly absent?: boolean;
  /** Field, reason and message of each cause of a 422. */
  readonly causes?: readonly (readonly [string, string, string])[];
  /** Of a 400. */
  readonly message?: string;
  readonly unknown?: readonly string[];
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "testing/recorded-values.json"), "utf8"),
) as Recorded[];

describe.each(recorded)("values of $name are answered as by a real server", ({ name, schema, answers }) => {
  const compiled = compileSchema({
    type: "object",
    properties: { spec: { type: "object", properties: { [name]: schema } } },
  });

  const answerTo = (object: { readonly spec: Readonly<Record<string, unknown>> }, field: string): unknown => {
    const { dropped, error } = compiled.prune(object);
    if (error !== undefined) {
      const message = `Thing in version "v1" cannot be handled as a Thing: ${fieldErrorText(error)}`;
      return { message, unknown: [] };
    }
    compiled.default(object);
    const errors = [
      ...compiled.validate(object),
      ...compiled.validateEmbedded(object),
      ...compiled.validateListTypes(object),
    ];
    if (errors.length === 0) return { result: object.spec[field], unknown: dropped };
    return { causes: errors.map((each) => [each.field, each.type, fieldErrorBody(each)]), unknown: dropped };
  };

  test.each(answers.map((answer) => [JSON.stringify(answer.value), answer] as const))("%s", (_, answer) => {
    const object = {
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { name: "x" },
      spec: { [name]: clone(answer.value) } as Record<string, unknown>,
    };
    expect(answerTo(object, name)).toEqual({
      ...(answer.message !== undefined && { message: answer.message }),
      ...(answer.causes !== undefined && { causes: answer.causes }),
      ...(answer.result !== undefined && { result: answer.result }),
      unknown: answer.unknown ?? [],
    });
  });
});
