import * as fc from "fast-check";
import { setOwn, type JsonObject } from "../json-value.ts";

/** Keys that have tripped up code before: pointers' special characters, indices, and what objects inherit. */
const key = fc.constantFrom(
  "a",
  "b",
  "c/d",
  "e~f",
  "~1",
  "0",
  "-",
  "",
  "__proto__",
  "constructor",
  "toString",
);

const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer({ min: -2, max: 2 }),
  fc.constantFrom("", "x", "y"),
);

const { value } = fc.letrec<{ value: unknown; list: unknown[]; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: objectOf(tie("value")),
}));

/** Small JSON documents with difficult keys and many near misses. */
export const jsonValue: fc.Arbitrary<unknown> = value;

/** Objects of the same kind. */
export const jsonObject: fc.Arbitrary<JsonObject> = objectOf(jsonValue);

function objectOf(values: fc.Arbitrary<unknown>): fc.Arbitrary<JsonObject> {
  return fc
    .uniqueArray(fc.tuple(key, values), { maxLength: 4, selector: ([name]) => name })
    .map((entries) => {
      const object: JsonObject = {};
      for (const [name, child] of entries) setOwn(object, name, child);
      return object;
    });
}
