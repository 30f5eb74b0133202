import { resolve } from "node:path";
import { expect, it } from "vitest";
import { chosenStore, parseStore, storeText } from "./store-choice.ts";

it("is lmdb unless said", () => {
  expect(parseStore()).toEqual({ type: "lmdb" });
  expect(chosenStore({}, undefined)).toBeUndefined();
  expect(() => parseStore("redis")).toThrow("--store redis: must be memory, lmdb, or like etcd://host:2379");
});

it("keeps whole paths, so that every process finds the files", () => {
  const url = "etcd://a:1,b/x?cafile=ca.crt&certfile=/me.crt&keyfile=/me.key";
  const kept = chosenStore({}, url);
  expect(parseStore(kept)).toEqual({
    type: "etcd",
    endpoints: ["a:1", "b:2379"],
    prefix: "/x",
    tls: { cafile: resolve("ca.crt"), certfile: "/me.crt", keyfile: "/me.key" },
  });
  expect(storeText(parseStore(kept))).toBe("etcd at a:1, b:2379 below /x/");
});

it.each([
  ["lmdb", "memory"],
  ["lmdb", "etcd://a"],
  ["etcd://a", "lmdb"],
  ["etcd://a/x", "etcd://a/y"],
])("of a cluster that has its objects in %s is not %s from now on", (store, wanted) => {
  expect(() => chosenStore({ store, storeCreated: true }, wanted)).toThrow(
    /this cluster has its objects in/u,
  );
  expect(chosenStore({ store, storeCreated: false }, wanted)).toBeDefined();
});

it("may get other members", () => {
  expect(chosenStore({ store: "etcd://a", storeCreated: true }, "etcd://b,c")).toBe(
    "etcd://b:2379,c:2379/kedge",
  );
});
