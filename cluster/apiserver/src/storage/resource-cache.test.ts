import { fromSorted } from "@kedge/store/sorted-map";
import { describe, expect, it } from "vitest";
import { ObjectVersion } from "./object-version.ts";
import { ResourceCache, type Listed } from "./resource-cache.ts";

describe("the cache of a resource", () => {
  it("goes on with a list as it was when it was begun", () => {
    const versionOf = (name: string, revision: number): ObjectVersion =>
      new ObjectVersion({ key: `/registry/configmaps/${name}`, value: new Uint8Array(), revision, lease: 0 });
    const begun = ["a", "b", "c"].map((name) => versionOf(name, 1));
    const cache = new ResourceCache(
      1,
      fromSorted(begun.map((value) => ({ key: value.key, value }))),
      (error) => {
        throw error;
      },
    );
    const listed = cache.list("/registry/configmaps/");
    const [b, d] = [versionOf("b", 2), versionOf("d", 3)];
    cache.apply({ type: "delete", revision: 2, current: b, previous: b });
    cache.apply({ type: "put", revision: 3, current: d, previous: undefined });
    const namesOf = ({ versions }: Listed): string[] => Array.from(versions, ({ key }) => key.slice(-1));
    expect(namesOf(listed)).toEqual(["a", "b", "c"]);
    expect(namesOf(cache.list("/registry/configmaps/"))).toEqual(["a", "c", "d"]);
    expect(cache.list("/registry/configmaps/", "/registry/configmaps/b")).toMatchObject({ count: 2 });
  });
});
