import { describe, expect, it } from "vitest";
import { generatedNamesIn, identify, mark } from "./identify.ts";

const versioned = (resourceVersion: string): object => ({ metadata: { resourceVersion } });

describe("identify", () => {
  it.each([
    { what: "of an object", value: versioned("7"), identified: versioned(mark("rv", "7")) },
    {
      what: "of a list and of its items",
      value: { items: [versioned("7")], ...versioned("9") },
      identified: { items: [versioned(mark("rv", "7"))], ...versioned(mark("collection", "9")) },
    },
    {
      what: "of a bookmark",
      value: [{ type: "BOOKMARK", object: versioned("9") }],
      identified: [{ type: "BOOKMARK", object: versioned(mark("collection", "9")) }],
    },
    {
      what: "of a bookmark as a Table",
      value: { type: "BOOKMARK", object: { rows: [{ object: versioned("9") }], ...versioned("9") } },
      identified: {
        type: "BOOKMARK",
        object: {
          rows: [{ object: versioned(mark("collection", "9")) }],
          ...versioned(mark("collection", "9")),
        },
      },
    },
    {
      what: "of an event as a Table",
      value: { type: "ADDED", object: { rows: [{ object: versioned("7") }] } },
      identified: { type: "ADDED", object: { rows: [{ object: versioned(mark("rv", "7")) }] } },
    },
    { what: "that is none", value: versioned("0"), identified: versioned("0") },
  ])("knows the version $what", ({ value, identified }) => {
    expect(identify(value)).toEqual(identified);
  });

  it("sorts managedFields by manager, as their order depends on when they were written", () => {
    const managers = ["b", "a"].map((manager) => ({ manager, operation: "Update" }));
    expect(identify({ managedFields: managers, finalizers: ["b", "a"] })).toEqual({
      managedFields: managers.toReversed(),
      finalizers: ["b", "a"],
    });
  });
});

describe("generatedNamesIn", () => {
  it("finds names that were made from a generateName, not those that were given", () => {
    const made = { name: "web-bcd24", generateName: "web-" };
    const given = { name: "web-one", generateName: "web-" };
    expect(generatedNamesIn({ items: [{ metadata: made }, { metadata: given }] })).toEqual([
      { name: "web-bcd24", prefix: "web-" },
    ]);
  });
});
