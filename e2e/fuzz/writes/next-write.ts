import { weighted } from "../../comparison/generate/choose.ts";
import { apply } from "./apply.ts";
import { jsonPatch } from "./json-patch.ts";
import { mergePatch } from "./merge-patch.ts";
import { replace } from "./replace.ts";
import { writeStatus } from "./status.ts";
import type { Write, WriteMaterial } from "./write.ts";

/** Anything that may be done next to an object that is there. */
export function nextWrite(material: WriteMaterial): Write {
  const { kind, choose } = material;
  return weighted<Write>(choose.random, [
    [4, () => replace(material)],
    [3, () => mergePatch(material, "merge-patch")],
    [kind.strategic ? 4 : 0, () => mergePatch(material, "strategic-merge-patch")],
    [3, () => jsonPatch(material)],
    [4, () => apply(material)],
    [kind.status === undefined ? 0 : 3, () => writeStatus(material)],
    [1, () => ({ method: "GET", accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })],
  ]);
}
