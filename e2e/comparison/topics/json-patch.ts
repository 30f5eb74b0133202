import {
  applyJsonPatch,
  JsonPatchError,
  seededRandom,
  type JsonPatchStep,
  type Random,
} from "@kedge/machinery";
import { chance, distinct, oneOf, some, weighted } from "../generate/choose.ts";
import { anyJson, pointersIn } from "../generate/json.ts";
import { topic } from "../topic.ts";
import {
  askToPatch,
  documents,
  prepareDocuments,
  asServed,
  textual,
  type Kind,
  type PatchReply,
} from "./patched-documents.ts";

interface Input {
  readonly kind: Kind;
  readonly document: number;
  readonly patch: readonly JsonPatchStep[];
}

/** JSON patches (RFC 6902) of ConfigMaps and of a custom resource without a schema. */
export const jsonPatch = topic<Input, PatchReply, null>({
  name: "json-patch",
  inputs,
  titleOf: ({ kind, document, patch }) => `${kind} ${document} ${JSON.stringify(patch)}`,
  prepare: prepareDocuments,
  ask: (stage, input) => askToPatch(stage, input, "json-patch+json"),
  ours: ({ input: { kind, document, patch } }) => {
    try {
      return asServed(kind, applyJsonPatch(documents(kind)[document], patch));
    } catch (error) {
      if (error instanceof JsonPatchError) return refused;
      throw error;
    }
  },
});

/** The library's words, which are ours too, do not reach the client. */
const refused = { status: 422, text: "the server rejected our request due to an error in our request" };

function inputs(seed: string): Input[] {
  const random = seededRandom(`${seed}json patches`);
  const custom = distinct(350, () => inputFor(random, "Document"));
  return [...custom, ...distinct(150, () => inputFor(random, "ConfigMap"))];
}

function inputFor(random: Random, kind: Kind): Input {
  const document = random.int(documents(kind).length);
  const base = documents(kind)[document] ?? {};
  const root = kind === "Document" ? "doc" : "data";
  const places = pointersIn(base[root], `/${root}`).filter((at) => kind === "Document" || !at.includes("~"));
  const body: Places = {
    place: () =>
      weighted(random, [
        [12, () => oneOf(random, places)],
        [
          1,
          () =>
            `${oneOf(random, places)}/${oneOf(random, ["a", "0", "-", "01", "-9", ...(kind === "Document" ? ["x/y", "+1"] : [])])}`,
        ],
      ]),
    value: (at) => {
      if (kind === "Document") return anyJson(random, 2);
      return at === "/data" ? { whole: "new" } : textual(random);
    },
  };
  const metadata: Places = {
    place: () => oneOf(random, metadataPlaces),
    value: (at) => (at === "/metadata/labels" ? { a: "new" } : "new"),
  };
  const step = (): JsonPatchStep => stepIn(random, base, chance(random, 15) ? metadata : body);
  return { kind, document, patch: some(random, [1, chance(random, 25) ? 4 : 1], step) };
}

/** Where a step changes something, and what may be there. */
interface Places {
  readonly place: () => string;
  readonly value: (at: string) => unknown;
}

const metadataPlaces = [
  "/metadata/labels",
  "/metadata/labels/a",
  "/metadata/labels/example.com~1b",
  "/metadata/annotations/c",
];

function stepIn(random: Random, base: unknown, { place, value }: Places): JsonPatchStep {
  const path = place();
  return weighted<JsonPatchStep>(random, [
    [4, () => ({ op: "add", path, value: value(path) })],
    [3, () => ({ op: "replace", path, value: value(path) })],
    [3, () => ({ op: "remove", path })],
    [2, () => testStep(path, chance(random, 60) ? valueAt(base, path) : value(path))],
    [2, () => ({ op: "move", from: place(), path })],
    [2, () => ({ op: "copy", from: place(), path })],
    [1, () => oneOf(random, incomplete(path))],
  ]);
}

/**
 * The server compares scalars byte by byte, and writes `<`, `>` and `&` of its document as escapes: a test of a text
 * with these in it fails unless the client wrote them so as well. Once it is parsed we cannot know how it was written,
 * and hold such texts equal, as the standard does. They are not asked for.
 */
function testStep(path: string, value: unknown): JsonPatchStep {
  return /[<>&]/u.test(JSON.stringify(value)) ? { op: "replace", path, value } : { op: "test", path, value };
}

function incomplete(path: string): readonly JsonPatchStep[] {
  return [
    { op: "add", path },
    { op: "nothing", path },
    { path },
    { op: "replace", path },
    { op: "test", path },
    { op: "move", path },
    { op: "add", value: "x" },
  ];
}

/** What a pointer leads to; null for nothing. */
function valueAt(document: unknown, pointer: string): unknown {
  let at: unknown = document;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[key] : undefined;
  }
  return at ?? null;
}
