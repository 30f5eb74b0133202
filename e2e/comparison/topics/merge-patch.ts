import { applyMergePatch, seededRandom, type Random } from "@kedge/machinery";
import { chance, distinct, oneOf, some, subset } from "../generate/choose.ts";
import { anyJson, anyObject } from "../generate/json.ts";
import { isObject, type JsonObject } from "../json.ts";
import { topic } from "../topic.ts";
import {
  asServed,
  askToPatch,
  documents,
  prepareDocuments,
  textual,
  type Kind,
  type PatchReply,
} from "./patched-documents.ts";

interface Input {
  readonly kind: Kind;
  readonly document: number;
  readonly patch: JsonObject;
}

/** JSON merge patches (RFC 7396) of ConfigMaps and of a custom resource without a schema. */
export const mergePatch = topic<Input, PatchReply, null>({
  name: "merge-patch",
  inputs: (seed) => {
    const random = seededRandom(`${seed}merge patches`);
    const custom = distinct(300, () => inputFor(random, "Document"));
    return [...custom, ...distinct(100, () => inputFor(random, "ConfigMap"))];
  },
  titleOf: ({ kind, document, patch }) => `${kind} ${document} ${JSON.stringify(patch)}`,
  prepare: prepareDocuments,
  ask: (stage, input) => askToPatch(stage, input, "merge-patch+json"),
  ours: ({ input: { kind, document, patch } }) =>
    asServed(kind, applyMergePatch(documents(kind)[document], patch)),
});

function inputFor(random: Random, kind: Kind): Input {
  const document = random.int(documents(kind).length);
  const base = documents(kind)[document] ?? {};
  const metadata = chance(random, 40) ? { metadata: metadataChange(random) } : {};
  const body = kind === "Document" ? { doc: changeOf(random, base["doc"], 3) } : { data: dataChange(random) };
  return { kind, document, patch: { ...metadata, ...(chance(random, 90) ? body : {}) } };
}

/** A patch that names keys of the value as well as others. */
function changeOf(random: Random, value: unknown, depth: number): unknown {
  if (!isObject(value) || chance(random, 15)) return anyJson(random, depth);
  const known = subset(random, Object.entries(value)).map(([key, child]) => [
    key,
    chance(random, 30) ? null : changeOf(random, child, depth - 1 > 0 ? depth - 1 : 1),
  ]);
  return {
    ...Object.fromEntries(known),
    ...(chance(random, 50) ? anyObject(random, depth) : {}),
  } as JsonObject;
}

function metadataChange(random: Random): JsonObject {
  const labels = oneOf<unknown>(random, [
    null,
    {},
    { a: null },
    { a: "9", "example.com/b": null },
    { "": null, z: "1" },
  ]);
  const annotations = oneOf<unknown>(random, [null, {}, { c: null }, { c: "9", d: "" }]);
  return Object.fromEntries(subset(random, Object.entries({ labels, annotations }), 70));
}

function dataChange(random: Random): JsonObject | null {
  if (chance(random, 10)) return null;
  const keys = ["a", "b", "c.d", "e_f", "0", "new"];
  return Object.fromEntries(
    some(random, [0, 4], () => [oneOf(random, keys), chance(random, 40) ? null : textual(random)]),
  );
}
