import {
  isJsonObject,
  resourceVersion as rv,
  silentLogger,
  VirtualClock,
  type JsonObject,
} from "@kedge/machinery";
import { createMemoryStore, type Store } from "@kedge/store";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { builtinResources } from "../kinds/index.ts";
import type { ApiObject, Resource } from "../registry/types.ts";
import { encodeForStore, ObjectVersion, unversioned } from "./object-version.ts";
import { Storage } from "./storage.ts";
import { hiddenIn, metadataIn, storedBody, textsAfter } from "./stored-json.ts";
import { ViewMemory } from "./view-memory.ts";

describe("what is served without decoding", () => {
  it("is byte for byte what decoding and encoding gives", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const property = fc.property(fc.dictionary(fc.string(), value), value, (metadata, data) => {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata }, data };
      const bytes = encodeForStore(unversioned(object), {});
      const stored: unknown = JSON.parse(Buffer.from(bytes).toString());
      const { metadata: meta, kind: _, apiVersion: __, ...rest } = isJsonObject(stored) ? stored : {};
      const served = { metadata: { ...(meta as JsonObject), resourceVersion: "7" }, ...rest };
      const place = metadataIn(bytes);
      const body = place === undefined ? [] : storedBody(bytes, place, 7);
      expect(`{${Buffer.concat(body).toString()}`).toBe(JSON.stringify(served));
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("is not what is hidden, which only the next write finds", () => {
    const object = { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { type: "X" } };
    const [bytes, plain] = [{ policy: "Local" }, undefined].map((hidden) =>
      encodeForStore(unversioned(object), {}, hidden),
    ) as [Uint8Array, Uint8Array];
    const body = (value: Uint8Array): string => {
      const place = metadataIn(value);
      return Buffer.concat(place === undefined ? [] : storedBody(value, place, 7)).toString();
    };
    expect(body(bytes)).toBe(body(plain));
    expect(body(bytes)).toContain('"spec":{"type":"X"}');
    expect([hiddenIn(bytes), hiddenIn(plain)]).toEqual([{ policy: "Local" }, undefined]);
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

it("texts are found wherever their field is, as JSON writes them", () => {
  const json = JSON.stringify({ nodeName: "a", x: { nodeName: 'b"\\' }, y: '"nodeName":"c"', z: "nodeName" });
  expect(textsAfter(Buffer.from(json), Buffer.from('"nodeName":"'))).toEqual(["a", String.raw`b\"\\`]);
});

describe("an object that is written", () => {
  const resource = builtinResources({ serviceRange: "10.96.0.0/12" }).find(({ plural }) => plural === "pods");
  if (resource === undefined) throw new Error("there are no pods");

  async function written(object: ApiObject, copies: boolean): Promise<ObjectVersion | undefined> {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    if (copies) copyBytes(store);
    const storage = new Storage({
      store,
      clock,
      logger: silentLogger,
      compactionInterval: 60_000,
      historyBytes: 1e6,
    });
    await storage.start();
    const key = "/registry/pods/ns/a";
    const value = encodeForStore(unversioned(object), {});
    const made = { resource: resource as Resource, object: unversioned(object) };
    await storage.write({ key, expected: 0, value, made });
    await storage.close();
    return storage.cache("pods").get(key);
  }

  it.each([
    ["is shown without being decoded", false],
    ["is decoded when the store does not hand out the bytes that it was given", true],
  ])("%s", async (_, copies) => {
    const spec = { nodeName: "n", hostname: undefined };
    const object = { spec, apiVersion: "v1", kind: "Pod", metadata: { name: "a", resourceVersion: rv("1") } };
    const version = await written(object, copies);
    const shown = version?.as(resource).object;
    expect(shown?.["spec"] === spec).toBe(!copies);
    expect(Object.isFrozen(shown?.["spec"])).toBe(true);
    expect(JSON.stringify(shown)).toBe(JSON.stringify(version?.decoded(resource)));
  });

  function copyBytes(store: Store): void {
    const put = store.transaction.bind(store);
    vi.spyOn(store, "transaction").mockImplementation((transaction) => {
      const success = transaction.success.map((write) =>
        write.type === "put" ? { ...write, value: new Uint8Array(write.value) } : write,
      );
      return put({ ...transaction, success });
    });
  }
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
