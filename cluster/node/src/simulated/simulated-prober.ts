import type { Clock } from "@kedge/machinery";
import type { ApiPod } from "../model/types.ts";
import type { Prober } from "../probes/types.ts";
import type { ContainerRuntime } from "../runtime/types.ts";
import { failsProbe } from "./simulated-life.ts";
import type { SimulatedPrograms } from "./simulated-programs.ts";

/** What the probes of a simulated node look at. */
export interface SimulatedProberOptions {
  readonly clock: Clock;
  readonly runtime: Pick<ContainerRuntime, "inspect">;
  /** The pod that a container is of, by its labels. */
  readonly podOf: (labels: Readonly<Record<string, string>>) => ApiPod | undefined;
  /** Whether somebody wants all of a pod's probes to fail now. */
  readonly isUnhealthy: (pod: ApiPod) => boolean;
  /** Models of what runs in containers: they are asked first. */
  readonly programs?: Pick<SimulatedPrograms, "probe"> | undefined;
}

/** Probes find what they were told to find: nobody is asked. */
export function createSimulatedProber(options: SimulatedProberOptions): Prober {
  const { clock, runtime, podOf, isUnhealthy, programs } = options;
  return {
    async probe(_handler, { instanceId, container }, { kind }) {
      const info = await runtime.inspect(instanceId);
      const pod = info === undefined ? undefined : podOf(info.labels);
      if (pod === undefined) return { outcome: "success", output: "" };
      const ageMs = clock.now() - (info?.startedAt ?? clock.now());
      const isWell = programs?.probe(instanceId, kind) ?? true;
      const fails = !isWell || isUnhealthy(pod) || failsProbe(pod, container.name, { kind, ageMs });
      return fails ? { outcome: "failure", output: "simulated failure" } : { outcome: "success", output: "" };
    },
  };
}
