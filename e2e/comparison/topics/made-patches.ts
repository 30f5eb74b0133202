import {
  applyMergePatch,
  createMergePatch,
  createStrategicPatch,
  diffJsonPatch,
  seededRandom,
  strategicMergePatch,
  StrategicPatchError,
} from "@kedge/machinery";
import { changesBetween } from "../changes.ts";
import { distinct } from "../generate/choose.ts";
import type { JsonObject } from "../json.ts";
import { topic } from "../topic.ts";
import { asServed, askToPatch, documents, prepareDocuments } from "./patched-documents.ts";
import {
  anyStrategicPatch,
  askForStrategicPatch,
  masked,
  prepareStrategicObjects,
  strategicNames,
  strategicSchema,
  type StrategicFixtures,
  type StrategicName,
} from "./strategic-server.ts";

/** From one state of an object to another: of two documents, or of an object and what a patch makes of it. */
type Input =
  | { readonly by: "json" | "merge"; readonly from: number; readonly to: number }
  | { readonly by: "strategic"; readonly of: StrategicName; readonly like: JsonObject };

/** The patch that our code makes, and what the server makes of it. */
interface Reply {
  readonly patch: unknown;
  readonly result: unknown;
}

/** Patches that our code makes of two states lead the server from one to the other. */
export const madePatches = topic<Input, Reply, StrategicFixtures>({
  name: "made-patches",
  inputs: (seed) => {
    const random = seededRandom(`${seed}made patches`);
    const pairs = (["json", "merge"] as const).flatMap((by) =>
      distinct(60, () => ({ by, from: random.int(count), to: random.int(count) })),
    );
    const patches = strategicNames.flatMap((of) =>
      distinct(of === "deployment" ? 100 : 25, () => ({
        by: "strategic" as const,
        of,
        like: anyStrategicPatch(random, of),
      })),
    );
    return [...pairs, ...patches];
  },
  titleOf: (input) => JSON.stringify(input),
  prepare: async (stage) => {
    await prepareDocuments(stage);
    return prepareStrategicObjects(stage);
  },
  ask: async (stage, input, fixtures) => {
    const made = madePatch(input, fixtures);
    if (made === undefined) return undefined;
    const { patch } = made;
    if (input.by === "strategic") {
      const change = { of: input.of, patch: patch as JsonObject };
      const result = await askForStrategicPatch(stage, change, fixtures);
      return result && { patch, result };
    }
    const change = { kind: "Document", document: input.from, patch } as const;
    return { patch, result: await askToPatch(stage, change, `${input.by}-patch+json`) };
  },
  ours: ({ input }, fixtures) => madePatch(input, fixtures),
});

const count = documents("Document").length;

/** The patch and the state that it must lead to; undefined when there is no such state. */
function madePatch(input: Input, fixtures: StrategicFixtures): Reply | undefined {
  if (input.by !== "strategic") {
    const [from, to] = [documents("Document")[input.from], documents("Document")[input.to]];
    // A merge patch cannot set null.
    if (input.by === "merge") {
      return { patch: createMergePatch(from, to), result: asServed("Document", applyMergePatch({}, to)) };
    }
    return { patch: diffJsonPatch(from, to), result: asServed("Document", to) };
  }
  const { of, like } = input;
  const before = fixtures[of];
  try {
    const after = masked(strategicMergePatch(before, like, strategicSchema(of)));
    const patch = createStrategicPatch(before, after, strategicSchema(of));
    return { patch, result: { changes: changesBetween(before, after) } };
  } catch (error) {
    if (error instanceof StrategicPatchError) return undefined;
    throw error;
  }
}
