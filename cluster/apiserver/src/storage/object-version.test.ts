import { isJsonObject, type JsonObject } from "@kedge/machinery";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeForStore, ObjectVersion } from "./object-version.ts";
import { metadataIn, storedBody } from "./stored-json.ts";
import { ViewMemory } from "./view-memory.ts";

describe("what is served without decoding", () => {
  it("is byte for byte what decoding and encoding gives", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const property = fc.property(fc.dictionary(fc.string(), value), value, (metadata, data) => {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata }, data };
      const bytes = encodeForStore(object, {});
      const stored: unknown = JSON.parse(Buffer.from(bytes).toString());
      const { metadata: meta, kind: _, apiVersion: __, ...rest } = isJsonObject(stored) ? stored : {};
      const served = { metadata: { ...(meta as JsonObject), resourceVersion: "7" }, ...rest };
      const place = metadataIn(bytes);
      const body = place === undefined ? [] : storedBody(bytes, place, 7);
      expect(`{${Buffer.concat(body).toString()}`).toBe(JSON.stringify(served));
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("is nothing when the bytes are not as they are stored", () => {
    for (const text of [
      "",
      "{}",
      '{"metadata":{"name":"a"}}',
      '{"kind":"A","apiVersion":"v1","metadata":{"a":"',
    ])
      expect(metadataIn(Buffer.from(text))).toBeUndefined();
  });
});

describe("the memory of what was decoded", () => {
  it("holds what was used last, up to its size", () => {
    const memory = new ViewMemory(10 * (1024 + 5 * 100));
    const versions = Array.from(
      { length: 20 },
      (_, revision) => new ObjectVersion({ key: "", value: new Uint8Array(100), revision, lease: 0 }),
    );
    const forgotten: number[] = [];
    const use = (version: ObjectVersion): void =>
      memory.used(version, () => void forgotten.push(version.revision));
    for (const version of versions.slice(0, 10)) use(version);
    for (const version of versions.slice(0, 2)) use(version);
    expect(forgotten).toEqual([]);
    for (const version of versions.slice(10, 13)) use(version);
    expect(forgotten).toEqual([2, 3, 4]);
  });
});
