import { describe, expect, it } from "vitest";
import { ObjectVersion } from "./object-version.ts";
import { ResourceCache } from "./resource-cache.ts";

describe("the cache of a resource", () => {
  it("starts with more objects than a call can have arguments", () => {
    const value = new Uint8Array();
    const versions = Array.from(
      { length: 200_000 },
      (_, i) => new ObjectVersion({ key: `/registry/configmaps/${i}`, value, revision: 1, lease: 0 }),
    );
    expect(new ResourceCache(1, versions).list("/registry/configmaps/").length).toBe(200_000);
  });
});
