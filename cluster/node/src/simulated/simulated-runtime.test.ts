import { realClock } from "@kedge/machinery";
import { describe } from "vitest";
import { describeRuntime, type TestLife } from "../testing/runtime-conformance.ts";
import { simulatedImages } from "./simulated-node.ts";
import { createSimulatedRuntime, type SimulatedLife } from "./simulated-runtime.ts";
import { simulatedSpec } from "./simulated-spec.ts";

const lives: Readonly<Record<TestLife, SimulatedLife>> = {
  obeys: {},
  deaf: { ignoresTerm: true },
  ends: { endsAfterMs: 20, exitCode: 3 },
  greedy: { endsAfterMs: 20, exitCode: 137, oomKilled: true },
};

describe("the simulated runtime", () => {
  describeRuntime(() => {
    const asked = new Map<string, TestLife>();
    const runtime = createSimulatedRuntime({
      clock: realClock,
      lifeOf: ({ id }) => lives[asked.get(id) ?? "obeys"],
    });
    return {
      runtime,
      async create(id, life, labels) {
        asked.set(id, life);
        await runtime.create(simulatedSpec(id, await simulatedImages.resolve("app:1"), labels));
      },
      [Symbol.asyncDispose]: () => runtime.close(),
    };
  });
});
