import { parseQuantity, quantityToNumber } from "@kedge/machinery";
import { ConfigError } from "../containers/config-error.ts";
import { containerOf, initContainersOf, isSidecar } from "../model/spec-of.ts";
import type { ApiPod, ContainerDefinition } from "../model/types.ts";
import type { ProbeKind } from "../probes/types.ts";
import { behaviourOf, type Behaviour } from "./behaviour.ts";
import type { SimulatedLife } from "./simulated-runtime.ts";

/**
 * What becomes of each run of a container: what its pod's annotations say. An init container ends well at once when they
 * say nothing, others run on. It uses what it has asked for, which is at least plausible.
 */
export function lifeFromPod(pod: ApiPod, name: string): SimulatedLife {
  const container = containerOf(pod, name);
  const { end, ignoresTerm = false } = behaviourOf(pod, name);
  const { cpu = "0", memory = "0" } = container?.resources?.requests ?? {};
  return {
    ...(end === undefined
      ? isPlainInit(pod, name) && { endsAfterMs: 0 }
      : { endsAfterMs: end.afterMs, exitCode: end.exitCode, oomKilled: end.oomKilled }),
    ignoresTerm,
    cpuNanocores: quantityToNumber(parseQuantity(cpu)) * 1e9,
    memoryBytes: quantityToNumber(parseQuantity(memory)),
  };
}

/** The container's behaviour. Throws a `ConfigError` also for a probe that it has not, and which could never fail. */
export function checkedBehaviour(pod: ApiPod, container: ContainerDefinition): Behaviour {
  const behaviour = behaviourOf(pod, container.name);
  for (const kind of ["startup", "liveness"] as const) {
    if (behaviour.failing?.[kind] === undefined || container[`${kind}Probe`] !== undefined) continue;
    throw new ConfigError(
      `annotations tell container ${container.name} to fail ${kind}: it has no ${kind}Probe that could fail`,
    );
  }
  return behaviour;
}

/** Whether a probe of a container fails that was started so long ago. What cannot be read tells nothing. */
export function failsProbe(
  pod: ApiPod,
  name: string,
  probe: { readonly kind: ProbeKind; readonly ageMs: number },
): boolean {
  try {
    const from = behaviourOf(pod, name).failing?.[probe.kind];
    return from !== undefined && probe.ageMs >= from;
  } catch {
    return false;
  }
}

/** A pod whose containers have a readiness probe where they are told to fail one: without, they would just be ready. */
export function withReadiness(pod: ApiPod): ApiPod {
  const probed = (container: ContainerDefinition): ContainerDefinition =>
    container.readinessProbe === undefined && tellsReadiness(pod, container.name)
      ? { ...container, readinessProbe: { exec: {}, periodSeconds: 1, failureThreshold: 1 } }
      : container;
  if (pod.spec === undefined || pod.metadata.annotations === undefined) return pod;
  const { containers, initContainers = [] } = pod.spec;
  if (![...containers, ...initContainers].some((one) => probed(one) !== one)) return pod;
  return {
    ...pod,
    spec: { ...pod.spec, containers: containers.map(probed), initContainers: initContainers.map(probed) },
  };
}

function tellsReadiness(pod: ApiPod, name: string): boolean {
  return failsProbe(pod, name, { kind: "readiness", ageMs: Number.POSITIVE_INFINITY });
}

function isPlainInit(pod: ApiPod, name: string): boolean {
  return initContainersOf(pod).some((container) => container.name === name && !isSidecar(container));
}
