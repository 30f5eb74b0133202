import { resourceVersion, uid } from "@kedge/machinery";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { expect, it } from "vitest";
import { isGivenUp, switchoverTarget } from "./switchover-target.ts";

const at = { resourceVersion: resourceVersion("7"), creationTimestamp: "2026-11-16T00:00:00Z" };

it.each([
  [{ replicas: 3 }, undefined, "any"],
  [{ replicas: 3 }, "2", "cache-2"],
  [{ replicas: 3 }, "cache-1", "cache-1"],
  [{ replicas: 3 }, "0", "cache-0 is the primary already."],
  [{ replicas: 3 }, "cache-3", "cache-3 is no pod of cache: they are cache-0 to cache-2."],
  [{ replicas: 3 }, "other-1", "other-1 is no pod of cache: they are cache-0 to cache-2."],
  [{ replicas: 1 }, undefined, "cache has one server: there is nobody to switch over to."],
  [{ replicas: 3, suspend: true }, undefined, "cache is left alone: spec.suspend is true."],
])("with %j, to %s: %s", (spec, to, expected) => {
  const made = withDefaults(RedisInstance, {
    metadata: { name: "cache" },
    spec: { image: "redis:7.0", ...spec },
  });
  const metadata = { ...at, namespace: "shop", name: "cache", uid: uid("i") };
  const target = switchoverTarget({ ...made, metadata }, to);
  expect(target instanceof Error ? target.message : target).toBe(expected);
});

it.each([
  ["is asked for", { epoch: 4, primary: "cache-0" }, "any", false],
  ["is under way", { epoch: 5, primary: "cache-0", target: "cache-1" }, undefined, false],
  ["is done", { epoch: 6, primary: "cache-1" }, undefined, false],
  ["is given up", { epoch: 5, primary: "cache-0" }, undefined, true],
])("a switchover that %s", (_what, replication, asked, expected) => {
  const made = withDefaults(RedisInstance, { metadata: { name: "cache" }, spec: { image: "redis:7.0" } });
  const metadata = { ...at, namespace: "shop", name: "cache", uid: uid("i") };
  const annotations = asked === undefined ? {} : { "redis.github.com/switchover": asked };
  const before = { ...made, metadata, status: { replication: { epoch: 4, primary: "cache-0" } } };
  const newest = { ...made, metadata: { ...metadata, annotations }, status: { replication } };
  expect(isGivenUp(newest, before)).toBe(expected);
});
