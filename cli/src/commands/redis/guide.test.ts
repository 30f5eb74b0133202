import { readFile } from "node:fs/promises";
import { RedisInstance } from "@kedge/redis-operator";
import { parseObject } from "@kedge/schema";
import { expect, it } from "vitest";
import { parse } from "yaml";

const page = await readFile(new URL("../../../../docs/guide/redis.md", import.meta.url), "utf8");
const blocks = Array.from(
  page.matchAll(/^```yaml\n(?<text>.*?)^```$/gmsu),
  (found) => found.groups?.["text"] ?? "",
);

it.each(blocks)("a RedisInstance may say what the guide shows: %s", (text) => {
  const whole = { apiVersion: "redis.github.com/v1", kind: "RedisInstance", metadata: { name: "cache" } };
  const shown: unknown = parse(text);
  const { spec } = shown as { readonly spec: object };
  // Fields that the kind does not have are not in what is stored.
  expect(parseObject(RedisInstance, { ...whole, spec: { image: "redis:7.0", ...spec } }).spec).toMatchObject(
    spec,
  );
});

it("the guide shows manifests", () => {
  expect(blocks.length).toBeGreaterThan(5);
});
