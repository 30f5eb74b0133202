import { expect, it } from "vitest";
import { instanceOf } from "../testing/builders.ts";
import { specWarnings } from "./warnings.ts";

const limits = (memory: string) => ({ resources: { limits: { memory } } });

it.each([
  ["nothing is said", {}, []],
  ["the policy is the server's own", { config: { "maxmemory-policy": "noeviction" } }, []],
  ["there is a policy and no bound", { config: { "maxmemory-policy": "allkeys-lru" } }, ["NeverEvicts"]],
  ["there are both", { config: { "maxmemory-policy": "allkeys-lru", maxmemory: "1gb" } }, []],
  ["the bound is derived", { ...limits("1Gi"), config: { "maxmemory-policy": "allkeys-lru" } }, []],
  ["the bound is taken away", { ...limits("1Gi"), config: { MaxMemory: "0" } }, ["MemoryUnbounded"]],
  ["there is room", { ...limits("1Gi"), config: { maxmemory: "900mb" } }, []],
  ["there is no room", { ...limits("1Gi"), config: { maxmemory: "1000mb" } }, ["NoHeadRoom"]],
  ["there is next to nothing", limits("16Mi"), ["MemoryLimitSmall"]],
])("warns when %s", (_when, spec, reasons) => {
  expect(specWarnings(instanceOf(spec).spec).map(({ reason }) => reason)).toEqual(reasons);
});
