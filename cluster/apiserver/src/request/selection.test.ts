import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinResources } from "../kinds/index.ts";
import { encodeForStore, ObjectVersion, unversioned } from "../storage/object-version.ts";
import { selectionOf } from "./selection.ts";

describe("a selection", () => {
  const resource = builtinResources({ serviceRange: "10.96.0.0/12" }).find(
    ({ plural }) => plural === "configmaps",
  );
  if (resource === undefined) throw new Error("there are no config maps");
  const word = fc.constantFrom("a", "b", "name", "x/y");
  const labels = fc.dictionary(word, fc.constantFrom("a", "b", "c", ""));
  const term = fc.oneof(
    fc.tuple(word, fc.constantFrom("=", "==", "!="), word).map((parts) => parts.join("")),
    fc
      .tuple(word, fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 2 }))
      .map(([key, values]) => `${key} in (${values.join(",")})`),
    fc.tuple(word, word).map(([key, value]) => `${key} notin (${value.replace("/", "")})`),
    word,
    word.map((key) => `!${key}`),
  );

  it("finds its traces in all that match", () => {
    const property = fc.property(labels, fc.array(term, { maxLength: 2 }), word, (own, terms, name) => {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "b", labels: own } };
      const version = new ObjectVersion({
        key: "",
        value: encodeForStore(unversioned(object), {}),
        revision: 1,
        lease: 0,
      });
      const query = new URLSearchParams({
        labelSelector: terms.filter((text) => !/[=!]x\/y$/u.test(text)).join(","),
        fieldSelector: "metadata.name=a,metadata.namespace=b",
      });
      const selection = selectionOf(query, resource);
      expect(selection.matches(object) && !version.contains(selection.traces)).toBe(false);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it("tells by them what need not be decoded", () => {
    const contentOf = (text: string) =>
      new ObjectVersion({ key: "", value: Buffer.from(text), revision: 1, lease: 0 });
    const { traces } = selectionOf(new URLSearchParams({ labelSelector: "app=web,tier in (a)" }), resource);
    expect(contentOf('{"labels":{"app":"web","tier":"a"}}').contains(traces)).toBe(true);
    expect(contentOf('{"labels":{"app":"web","tier":"b"}}').contains(traces)).toBe(false);
  });
});
