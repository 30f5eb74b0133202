import { fieldErrorsText, type ObjectMeta } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { testResources } from "../kinds/testing/write-context.ts";
import type { Resource } from "../registry/types.ts";
import { validateMetadata, validateMetadataUpdate } from "./validate-metadata.ts";

const resourceFor = testResources();
const map = resourceFor("ConfigMap");
const node = resourceFor("Node");
const service = resourceFor("Service");
const lease = resourceFor("Lease");

const unqualified = "name is neither a standard finalizer name nor is it fully qualified";

describe("metadata", () => {
  it.each<[string, Resource, ObjectMeta, readonly string[]]>([
    ["a name in a namespace is enough", map, { name: "a", namespace: "ns" }, []],
    [
      "a name is needed",
      map,
      { namespace: "ns" },
      ["metadata.name: Required value: name or generateName is required"],
    ],
    ["a namespace is needed", map, { name: "a" }, ["metadata.namespace: Required value"]],
    [
      "a namespace is too much for what is in none",
      node,
      { name: "a", namespace: "ns" },
      ["metadata.namespace: Forbidden: not allowed on this type"],
    ],
    ["a prefix may end in a dash", map, { name: "a-x", generateName: "a-", namespace: "ns" }, []],
    ["a finalizer may be a standard one", map, { name: "a", namespace: "ns", finalizers: ["orphan"] }, []],
    [
      "a finalizer says whose it is",
      map,
      { name: "a", namespace: "ns", finalizers: ["mine"] },
      [`metadata.finalizers[0]: Invalid value: "mine": ${unqualified}`],
    ],
    ["leases take any finalizer", lease, { name: "a", namespace: "ns", finalizers: ["mine"] }, []],
  ])("%s", (_name, resource, metadata, expected) => {
    expect(validateMetadata(metadata, resource).map((error) => fieldErrorsText([error]))).toEqual(expected);
  });

  it("has names by the rule of the kind", () => {
    const metadata = { name: "a.b", namespace: "ns" };
    expect(validateMetadata(metadata, map)).toEqual([]);
    expect(validateMetadata(metadata, service)).toHaveLength(1);
  });
});

describe("a change of metadata", () => {
  const before: ObjectMeta = { name: "a", namespace: "ns", labels: { a: "b" } };

  it("may be one of labels", () => {
    expect(validateMetadataUpdate({ ...before, labels: {} }, before)).toEqual([]);
  });

  it.each(["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"] as const)(
    "may not be one of %s, and is told twice",
    (field) => {
      const errors = validateMetadataUpdate({ ...before, [field]: "other" }, before).map((error) =>
        fieldErrorsText([error]),
      );
      const error = `metadata.${field}: Invalid value: "other": field is immutable`;
      expect(errors).toEqual([error, error]);
    },
  );
});
