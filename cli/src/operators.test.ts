import { readdir } from "node:fs/promises";
import { crdFiles } from "@kedge/schema";
import { expect, it } from "vitest";
import { operators } from "./operators.ts";

it("has each operator once, and the definitions of all their kinds are generated", async () => {
  const names = operators.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const files = await readdir(new URL("../../config/crd/bases", import.meta.url));
  expect([...crdFiles(operators.flatMap(({ kinds }) => kinds)).keys()].toSorted()).toEqual(files.toSorted());
});
