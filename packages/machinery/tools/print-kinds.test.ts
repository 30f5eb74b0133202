import { describe, expect, test } from "vitest";
import { readApiDefinition, type ApiDocuments } from "./api-definition.ts";
import { printKinds } from "./print-kinds.ts";
import { madeUpDocuments } from "./testing/made-up-documents.ts";

describe("printing a made-up definition", () => {
  test("gives the golden files", async () => {
    await expect(printAll(madeUpDocuments)).toMatchFileSnapshot("testing/made-up-kinds.txt");
  });

  test("copies no prose", () => {
    expect(JSON.stringify(madeUpDocuments)).toMatch(/prose/i);
    expect(printAll(madeUpDocuments)).not.toMatch(/prose/i);
  });

  test("gives the same bytes whatever the order of the members in the documents", () => {
    const reversed = reverseMembers(madeUpDocuments.swagger);
    expect(JSON.stringify(reversed)).not.toBe(JSON.stringify(madeUpDocuments.swagger));
    expect(printAll({ ...madeUpDocuments, swagger: reversed })).toBe(printAll(madeUpDocuments));
  });
});

describe("a definition that the generator does not understand is refused", () => {
  test.each<{ name: string; documents: ApiDocuments; message: string }>([
    {
      name: "a type of value that is not known",
      documents: withTypes(withField({ type: "tuple" })),
      message: 'io.example.api.garden.v1.Tree.leaf: type "tuple" is not known to the generator',
    },
    {
      name: "a list without a type of item",
      documents: withTypes(withField({ type: "array" })),
      message: "io.example.api.garden.v1.Tree.leaf[]: must be an object, not undefined",
    },
    {
      name: "a reference to nothing",
      documents: withTypes(withField({ $ref: "#/definitions/io.example.api.garden.v1.Leaf" })),
      message: "io.example.api.garden.v1.Leaf: is referred to, but has no place",
    },
    {
      name: "a reference to a type that belongs to no version",
      documents: withTypes({
        ...withField({ $ref: "#/definitions/io.example.pkg.Leaf" }),
        "io.example.pkg.Leaf": { type: "object" },
      }),
      message: "io.example.pkg.Leaf: is referred to, but has no place",
    },
    {
      name: "an imported type of the same name as an own one",
      documents: withTypes({
        ...withField({ $ref: "#/definitions/io.example.api.other.v1.Tree" }),
        "io.example.api.other.v1.Tree": { type: "object" },
      }),
      message: "kinds/garden/v1.ts: Tree of kinds/other/v1.ts clashes with another Tree",
    },
    {
      name: "a resource whose kind has no type",
      documents: { ...madeUpDocuments, swagger: { definitions: {} } },
      message: "namespaces of /v1: no type for Namespace",
    },
    {
      name: "a scope that is not known",
      documents: {
        ...madeUpDocuments,
        groups: {
          items: [
            {
              metadata: { name: "g" },
              versions: [{ version: "v1", resources: [{ resource: "x", scope: "?" }] }],
            },
          ],
        },
      },
      message: "g/v1[0].scope: must be Namespaced or Cluster, not ?",
    },
  ])("$name", ({ documents, message }) => {
    expect(() => printAll(documents)).toThrow(message);
  });
});

function printAll(documents: ApiDocuments): string {
  const files = printKinds(readApiDefinition(documents));
  return [...files].map(([path, text]) => `=== ${path}\n${text}`).join("\n");
}

function reverseMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseMembers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reverseMembers(member)]),
  );
}

function withTypes(definitions: Record<string, unknown>): ApiDocuments {
  return { swagger: { definitions }, core: { groupVersion: "v1", resources: [] }, groups: { items: [] } };
}

function withField(schema: unknown): Record<string, unknown> {
  return { "io.example.api.garden.v1.Tree": { type: "object", properties: { leaf: schema } } };
}
