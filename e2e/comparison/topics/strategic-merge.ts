import { seededRandom, strategicMergePatch, StrategicPatchError } from "@kedge/machinery";
import { changesBetween } from "../changes.ts";
import { distinct } from "../generate/choose.ts";
import type { JsonObject } from "../json.ts";
import { topic } from "../topic.ts";
import {
  anyStrategicPatch,
  askForStrategicPatch,
  masked,
  prepareStrategicObjects,
  strategicNames,
  strategicSchema,
  type StrategicFixtures,
  type StrategicName,
  type StrategicReply,
} from "./strategic-server.ts";

interface Input {
  readonly of: StrategicName;
  readonly patch: JsonObject;
}

const counts = { deployment: 330, service: 90, serviceAccount: 60, nodeStatus: 50, webhooks: 50 };

/** Strategic merge patches of objects that have all their defaults. */
export const strategicMerge = topic<Input, StrategicReply, StrategicFixtures>({
  name: "strategic-merge",
  inputs: (seed) => {
    const random = seededRandom(`${seed}strategic merge patches`);
    return strategicNames.flatMap((of) =>
      distinct(counts[of], () => ({ of, patch: anyStrategicPatch(random, of) })),
    );
  },
  titleOf: ({ of, patch }) => `${of} ${JSON.stringify(patch)}`,
  prepare: prepareStrategicObjects,
  ask: askForStrategicPatch,
  ours: ({ input: { of, patch } }, fixtures) => {
    try {
      const patched = strategicMergePatch(fixtures[of], patch, strategicSchema(of));
      return { changes: changesBetween(fixtures[of], masked(patched)) };
    } catch (error) {
      if (error instanceof StrategicPatchError) return { status: error.code, text: error.message };
      throw error;
    }
  },
});
