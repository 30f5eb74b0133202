import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepEqual } from "../json/deep-equal.ts";
import { deepFreeze } from "../json/deep-freeze.ts";
import type { JsonObject } from "../json-value.ts";
import { extractApplied } from "./extract.ts";
import { keepTimes } from "./no-op.ts";
import { withMeta } from "./object-meta.ts";
import { serverSideApply } from "./server-side-apply.ts";
import { custom, objectOf, owners } from "./testing/apply-to.ts";

const things = custom({
  type: "object",
  properties: {
    text: { type: "string" },
    map: { type: "object", additionalProperties: { type: "string" } },
    set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    list: { type: "array", items: { type: "string" } },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        properties: { name: { type: "string" }, v: { type: "integer" }, w: { type: "integer" } },
      },
    },
  },
});

const letters = fc.constantFrom("a", "b", "c");
const someLetters = fc.uniqueArray(letters, { minLength: 1 });
const small = fc.integer({ min: 0, max: 2 });
const item = fc.record({ name: letters, v: small, w: small }, { requiredKeys: ["name"] });
const spec = fc.record(
  {
    text: letters,
    map: fc.dictionary(letters, letters, { minKeys: 1 }),
    set: someLetters,
    list: someLetters,
    free: fc.dictionary(letters, fc.oneof(small, someLetters, fc.dictionary(letters, small))),
    items: fc.uniqueArray(item, { selector: ({ name }) => name, minLength: 1 }),
  },
  { requiredKeys: [] },
);

const monday = "2026-11-16T10:00:00Z";
const tuesday = "2026-11-17T10:00:00Z";
const nothing = objectOf(things, { metadata: {} });

function apply(
  live: Readonly<JsonObject>,
  manager: string,
  config: object,
  time = monday,
): Readonly<JsonObject> {
  const applied = deepFreeze(objectOf(things, Object.keys(config).length === 0 ? {} : { spec: config }));
  const object = serverSideApply({ live, applied, manager, force: true, time }, things);
  return deepFreeze(withMeta(object, "uid", "1"));
}

/** The spec without nulls and what is empty because of them, which are left where all that was owned is gone. */
function contentOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(contentOf);
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const entries = Object.entries(value).map(([key, inner]) => [key, contentOf(inner)] as const);
  const kept = entries.filter(([, inner]) => inner !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

describe("applying", () => {
  test("twice is the same as once", () => {
    fc.assert(
      fc.property(spec, spec, (a, b) => {
        const once = apply(apply(nothing, "one", a), "two", b);
        expect(keepTimes(once, apply(once, "two", b, tuesday))).toEqual(once);
      }),
    );
  });

  test("to nothing gives what was applied", () => {
    fc.assert(
      fc.property(spec, (a) => {
        expect(apply(nothing, "one", a)["spec"] ?? {}).toEqual(a);
      }),
    );
  });

  test("what another has, and giving it up, leaves him all he had", () => {
    fc.assert(
      fc.property(spec, fc.func(fc.boolean()), (a, shares) => {
        const shared = Object.fromEntries(Object.entries(a).filter(([key]) => shares(key)));
        const alone = apply(nothing, "one", a);
        const left = apply(apply(alone, "two", shared), "two", {});
        expect(left["spec"]).toEqual(alone["spec"]);
        expect(owners(left)).toEqual(owners(alone));
      }),
    );
  });

  test("what only one manager had vanishes when he gives it up", () => {
    fc.assert(
      fc.property(spec, (a) => {
        expect(contentOf(apply(apply(nothing, "one", a), "one", {})["spec"])).toBeUndefined();
      }),
    );
  });

  test("different fields in any order gives the same content", () => {
    const split = fc.tuple(
      fc.record({ text: letters, set: someLetters }, { requiredKeys: [] }),
      fc.record(
        { list: someLetters, map: fc.dictionary(letters, letters, { minKeys: 1 }) },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(split, ([a, b]) => {
        const ab = apply(apply(nothing, "one", a), "two", b);
        const ba = apply(apply(nothing, "two", b), "one", a);
        expect(deepEqual(ab, ba)).toBe(true);
      }),
    );
  });

  test("gives back what it was given when it is asked for what somebody applied", () => {
    fc.assert(
      fc.property(spec, spec, (a, b) => {
        const object = apply(apply(nothing, "one", a), "two", b);
        const mine = extractApplied(object, { schema: things.schema, manager: "two" });
        const own = mine?.["spec"] ?? {};
        const { set: _, items: __, ...expected } = b;
        const { set: ___, items: ____, ...actual } = own as Record<string, unknown>;
        expect(contentOf(actual)).toEqual(contentOf(expected));
        // Lists are in the order of the object.
        expect(new Set((own as { set?: string[] }).set)).toEqual(new Set(b.set));
      }),
    );
  });
});
