import type { ApiPod } from "../model/types.ts";
import type { ProbeKind } from "../probes/types.ts";
import type { SimulatedRuntime } from "./simulated-runtime.ts";

/** One run of a simulated container. */
export interface SimulatedRun {
  /** Of the container: another one for each run. */
  readonly id: string;
  readonly pod: ApiPod;
  /** Its name in the pod. */
  readonly container: string;
  /** Of the pod. */
  readonly address: string;
}

/** What runs in simulated containers, where that matters: models of programs. */
export interface SimulatedPrograms {
  started(run: SimulatedRun): void;
  /** Told of every container, also of those that no program was for. */
  ended(id: string, exitCode: number): void;
  /** What a probe finds. Undefined: what the node would say without a model. */
  probe(id: string, kind: ProbeKind): boolean | undefined;
}

/** A runtime that tells programs when they start and end. */
export function withPrograms(
  runtime: SimulatedRuntime,
  programs: SimulatedPrograms,
  runOf: (labels: Readonly<Record<string, string>>, id: string) => SimulatedRun | undefined,
): SimulatedRuntime {
  runtime.onExit(({ id, exitCode = 0 }) => programs.ended(id, exitCode));
  return {
    ...runtime,
    async start(id) {
      await runtime.start(id);
      const info = await runtime.inspect(id);
      const run = info === undefined ? undefined : runOf(info.labels, id);
      if (run !== undefined) programs.started(run);
    },
  };
}
