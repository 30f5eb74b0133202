import { readFile } from "node:fs/promises";
import { crdFiles, parseObject } from "@kedge/schema";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { RedisInstance, redisOperator } from "./index.ts";

const config = new URL("../../../config/", import.meta.url);

describe("what is deployed", () => {
  it.each([...crdFiles(redisOperator().kinds)])(
    "has the newest %s (else: kedge generate crds)",
    async (name, text) => {
      expect(await readFile(new URL(`crd/bases/${name}`, config), "utf8")).toBe(text);
    },
  );

  it("has a sample that is valid", async () => {
    const text = await readFile(new URL("samples/redis_v1_redisinstance.yaml", config), "utf8");
    expect(parseObject(RedisInstance, parse(text))).toMatchObject({
      metadata: { namespace: "default", name: "sample" },
      spec: { image: "redis:7.0", replicas: 1, auth: { enabled: true }, deletionPolicy: "Retain" },
    });
  });
});
