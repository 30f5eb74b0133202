import type { ApiPod } from "../model/types.ts";
import { isCritical } from "./rank-pods.ts";
import type { PressureCondition } from "./types.ts";

/** Why a node under pressure takes no such pod, in the kubelet's words; undefined: it takes it. */
export function refusalUnder(pressures: ReadonlySet<PressureCondition>, pod: ApiPod): string | undefined {
  if (pressures.size === 0 || isCritical(pod)) return undefined;
  if (pressures.size === 1 && pressures.has("MemoryPressure")) {
    if (pod.status?.qosClass !== "BestEffort" || toleratesMemoryPressure(pod)) return undefined;
  }
  return `The node had condition: [${[...pressures].join(" ")}]. `;
}

function toleratesMemoryPressure({ spec }: ApiPod): boolean {
  return (spec?.tolerations ?? []).some(
    ({ key, operator = "Equal", value = "", effect = "" }) =>
      (effect === "" || effect === "NoSchedule") &&
      ((key === undefined && operator === "Exists") ||
        (key === "node.kubernetes.io/memory-pressure" && (operator === "Exists" || value === ""))),
  );
}
