import { expect, it } from "vitest";
import { tolerates } from "./toleration.ts";

const taint = { key: "a", value: "b", effect: "NoSchedule" };

it.each<[string, Parameters<typeof tolerates>[0], boolean]>([
  ["of the same key and value", { key: "a", operator: "Equal", value: "b", effect: "NoSchedule" }, true],
  ["without an operator compares values", { key: "a", value: "b" }, true],
  ["of another value", { key: "a", value: "c" }, false],
  ["of any value", { key: "a", operator: "Exists" }, true],
  ["of another effect", { key: "a", operator: "Exists", effect: "NoExecute" }, false],
  ["of everything", { operator: "Exists" }, true],
  ["of nothing", {}, false],
])("a toleration %s", (_name, toleration, expected) => {
  expect(tolerates(toleration, taint)).toBe(expected);
});
