import { readFile } from "node:fs/promises";
import { crdFiles, parseObject } from "@kedge/schema";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { Application, applicationOperator } from "./index.ts";

const root = new URL("../../../", import.meta.url);

describe("what is deployed", () => {
  it.each([...crdFiles(applicationOperator.kinds)])(
    "has the newest %s (else: kedge generate crds)",
    async (name, text) => {
      expect(await readFile(new URL(`config/crd/bases/${name}`, root), "utf8")).toBe(text);
    },
  );

  it("has an example, of which nothing is lost", async () => {
    const manifest: unknown = parse(await readFile(new URL("examples/application.yaml", root), "utf8"));
    expect(parseObject(Application, manifest)).toMatchObject(manifest as object);
  });
});
