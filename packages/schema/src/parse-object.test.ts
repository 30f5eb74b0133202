import { clone, fieldErrorText } from "@kedge/machinery";
import { compileSchema } from "@kedge/validation";
import fc from "fast-check";
import * as z from "zod";
import { describe, expect, it } from "vitest";
import { crdOf, defineKind, parseObject, quantity, withDefaults } from "./index.ts";
import { Widget } from "./testing/widget.ts";

const metadata = { namespace: "a", name: "w" };

describe("an object that is parsed", () => {
  it("gets its defaults, and loses what the kind does not have", () => {
    const spec = { image: "i", unknown: 1, schedule: { at: "2026-11-16T00:00:00Z" } };
    const value = { apiVersion: "test.kedge.dev/v1beta1", kind: "Widget", metadata, spec };
    expect(parseObject(Widget, value).spec).toEqual({
      image: "i",
      replicas: 1,
      mode: "Careful",
      size: "1Gi",
      limits: { cpu: "100m" },
      schedule: { at: "2026-11-16T00:00:00Z", often: false },
    });
  });

  it("is told all that is wrong with it, by field", () => {
    const spec = { replicas: 100, resources: { limits: { cpu: "much" } } };
    const value = { apiVersion: "test.kedge.dev/v1", kind: "Widget", metadata: { name: "W1" }, spec };
    expect(() => parseObject(Widget, value)).toThrow(/^not a Widget of test.kedge.dev\/v1beta1:/u);
    for (const field of [
      "apiVersion",
      "metadata.name",
      "spec.image",
      "spec.replicas",
      "spec.resources.limits.cpu",
    ]) {
      expect(() => parseObject(Widget, value)).toThrow(`\n${field}: `);
    }
  });

  it("says what it is when its kind is known", () => {
    expect(withDefaults(Widget, { metadata, spec: { image: "i" } })).toMatchObject({
      apiVersion: "test.kedge.dev/v1beta1",
      kind: "Widget",
      metadata,
      spec: { image: "i", replicas: 1 },
    });
  });
});

/** Without rules and core types, and with values near the borders. */
const Small = defineKind({
  group: "test.kedge.dev",
  version: "v1",
  kind: "Small",
  plural: "smalls",
  scope: "Namespaced",
  description: "A thing to try values on.",
  spec: z.object({
    text: z
      .string()
      .min(1)
      .max(3)
      .regex(/^[ab]*$/u),
    count: z.int32().min(-2).max(2).default(1),
    size: quantity().optional(),
    mode: z.enum(["a", "b"]).optional(),
    list: z.array(z.boolean()).max(2).optional(),
    sub: z.object({ flag: z.boolean().default(true) }).prefault({}),
  }),
  status: z.object({}),
});

const spec = fc.record(
  {
    text: fc.constantFrom("", "a", "ab", "abab", "c", 1, true),
    count: fc.constantFrom(-3, -2, 0, 2, 3, 0.5, "1"),
    size: fc.constantFrom("1Gi", "1gi", "-.5", "1e3", "", 7, true),
    mode: fc.constantFrom("a", "c"),
    list: fc.constantFrom([], [true], [true, false, true], ["x"]),
    sub: fc.constantFrom({}, { flag: false }, { flag: "no" }, { other: 1 }),
    unknown: fc.constant(1),
  },
  { requiredKeys: [] },
);

describe("parsing and an API server", () => {
  it("agree on what is valid and on what is stored", () => {
    const { openAPIV3Schema = {} } = crdOf(Small).spec.versions[0]?.schema ?? {};
    const server = compileSchema(openAPIV3Schema);
    fc.assert(
      fc.property(spec, (value) => {
        const object = { apiVersion: "test.kedge.dev/v1", kind: "Small", metadata, spec: clone(value) };
        const stored = clone(object);
        server.prune(stored);
        server.default(stored);
        const errors = server.validate(stored).map((error) => fieldErrorText(error));
        // What is wrong is told in other words; that something is wrong, by both.
        expect(attempt(object)).toEqual(errors.length === 0 ? stored : refused);
      }),
      { numRuns: 1000 },
    );
  });
});

const refused = "refused";

function attempt(object: unknown): unknown {
  try {
    return parseObject(Small, object);
  } catch {
    return refused;
  }
}
