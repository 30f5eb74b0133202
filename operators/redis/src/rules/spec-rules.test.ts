import { describe, expect, it } from "vitest";
import { instanceOf } from "../testing/builders.ts";
import { acceptedPodMetadata } from "./pod-rules.ts";
import { specRefusals } from "./spec-rules.ts";

type Spec = Parameters<typeof instanceOf>[0];

describe("a spec by itself", () => {
  it.each<[string, Spec, string | undefined, string]>([
    ["with nothing but an image", {}, undefined, ""],
    ["with three for failover", { highAvailability: true, replicas: 3 }, undefined, ""],
    ["with two for failover", { highAvailability: true, replicas: 2 }, "spec.replicas", "at least 3"],
    ["with two, and no promise", { highAvailability: false, replicas: 2 }, undefined, ""],
    ["with the tag's version", { image: "redis:7.0", redisVersion: "7.0" }, undefined, ""],
    ["with less than the tag says", { image: "redis:7.0.5-alpine", redisVersion: "7.0" }, undefined, ""],
    ["with more than the tag says", { image: "redis:7", redisVersion: "7.2.4" }, undefined, ""],
    ["with another major", { redisVersion: "8.0" }, "spec.redisVersion", "but spec.image is redis:7.0"],
    [
      "with another patch",
      { image: "redis:7.0.5", redisVersion: "7.0.6" },
      "spec.redisVersion",
      "name the same version",
    ],
    ["with a tag that says nothing", { image: "redis:latest", redisVersion: "7.2" }, undefined, ""],
    ["with a digest", { image: "valkey/valkey@sha256:0123", redisVersion: "8.1" }, undefined, ""],
    [
      "with a server that is too old",
      { image: "redis:latest", redisVersion: "5.0" },
      "spec.redisVersion",
      "Redis 6 is the oldest",
    ],
    [
      "with a directive that the version does not know, which only redisVersion says",
      { image: "redis:latest", redisVersion: "6.2", config: { "bio-cpulist": "0" } },
      'spec.config["bio-cpulist"]',
      "came after Redis 6.2",
    ],
    ["with a volume of nothing", { storage: { size: "1m" } }, "spec.storage.size", "less than 1Mi"],
    [
      "with replicas of a server that keeps nothing",
      { replicas: 2, config: { appendonly: "no", save: "" } },
      "spec.config",
      "leaves nothing on the volumes",
    ],
    ["with replicas of a cache", { replicas: 2, durability: "cache" }, undefined, ""],
    [
      "with less than strict promises",
      { replicas: 3, durability: "strict", config: { appendfsync: "no" } },
      'spec.config["appendfsync"]',
      "must be always",
    ],
    [
      "with a label of ours",
      { podMetadata: { labels: { "redis.github.com/instance": "other" } } },
      'spec.podMetadata.labels["redis.github.com/instance"]',
      "choose another key",
    ],
    ["with our plain label", { podMetadata: { labels: { app: "x" } } }, 'spec.podMetadata.labels["app"]', ""],
    [
      "with a label of the StatefulSet",
      { podMetadata: { labels: { "statefulset.kubernetes.io/pod-name": "x" } } },
      'spec.podMetadata.labels["statefulset.kubernetes.io/pod-name"]',
      "Kubernetes",
    ],
    [
      "with a label's value that is none",
      { podMetadata: { labels: { team: "a b" } } },
      'spec.podMetadata.labels["team"]',
      "cannot be the value of a label",
    ],
    [
      "with an annotation of ours",
      { podMetadata: { annotations: { "redis.github.com/config-hash": "x" } } },
      'spec.podMetadata.annotations["redis.github.com/config-hash"]',
      "",
    ],
    [
      "with a key that is none",
      { podMetadata: { annotations: { "a/b/c": "x" } } },
      'spec.podMetadata.annotations["a/b/c"]',
      "cannot be a key",
    ],
    ["with labels of its own", { podMetadata: { labels: { team: "a" } } }, undefined, ""],
  ])("%s", (_what, spec, field, why) => {
    const refusals = specRefusals(instanceOf(spec));
    expect(refusals.map((refusal) => refusal.field)).toEqual(field === undefined ? [] : [field]);
    expect(refusals.map(({ message }) => message).join("")).toContain(why);
  });
});

it("gives pods what was not refused", () => {
  const labels = { team: "a", app: "mine" };
  const annotations = { "example.com/note": "any text", "redis.github.com/x": "y" };
  expect(acceptedPodMetadata({ labels, annotations })).toEqual({
    labels: { team: "a" },
    annotations: { "example.com/note": "any text" },
  });
});
