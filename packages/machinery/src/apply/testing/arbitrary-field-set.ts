import fc from "fast-check";
import { setOf, type FieldSet } from "../field-set.ts";
import { fieldElement, keyElement, valueElement } from "../path-element.ts";

const element = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "c", "d").map(fieldElement) },
  fc.constantFrom("x", "y").map((name) => keyElement([["name", name]])),
  fc.constantFrom<unknown>("x", 1, true).map(valueElement),
);

/** Small sets of few different elements, so that two of them have much in common. */
export const arbitraryFieldSet: fc.Arbitrary<FieldSet> = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  .map(setOf);
