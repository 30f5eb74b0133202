import { crdFiles } from "@kedge/schema";
import { expect, it } from "vitest";
import { websiteOperator } from "./operator.ts";

it.each([...crdFiles(websiteOperator.kinds)])("has the newest %s (else: vitest -u)", async (name, text) => {
  await expect(text).toMatchFileSnapshot(`../crd/${name}`);
});
