import type { ApiPod, ContainerDefinition, EphemeralDefinition, Instance } from "./types.ts";

/** The containers that run before the others. */
export function initContainersOf(pod: ApiPod): readonly ContainerDefinition[] {
  return pod.spec?.initContainers ?? [];
}

/** The containers that the pod is there for. */
export function containersOf(pod: ApiPod): readonly ContainerDefinition[] {
  return pod.spec?.containers ?? [];
}

/** The containers that somebody has added to a running pod to look into it: each runs once, and counts for nothing. */
export function ephemeralContainersOf(pod: ApiPod): readonly EphemeralDefinition[] {
  return pod.spec?.ephemeralContainers ?? [];
}

/** The containers of all three lists. */
export function allContainersOf(pod: ApiPod): readonly ContainerDefinition[] {
  return [...initContainersOf(pod), ...containersOf(pod), ...ephemeralContainersOf(pod)];
}

/** Finds a container of any list. */
export function containerOf(pod: ApiPod, name: string): ContainerDefinition | undefined {
  return allContainersOf(pod).find((container) => container.name === name);
}

/** Whether an init container goes on running beside the others. */
export function isSidecar(container: ContainerDefinition): boolean {
  return container.restartPolicy === "Always";
}

/** The runs of a container, the latest first. */
export function runsOf(instances: readonly Instance[], name: string): readonly Instance[] {
  return instances
    .filter((instance) => instance.name === name)
    .toSorted((a, b) => b.attempt - a.attempt || (b.startedAt ?? 0) - (a.startedAt ?? 0));
}

/** Whether a container that ended with this code is to be started again. */
export function restarts(pod: ApiPod, container: ContainerDefinition, exitCode: number): boolean {
  if (ephemeralContainersOf(pod).some(({ name }) => name === container.name)) return false;
  if (container.restartPolicy !== undefined) {
    const rule = (container.restartPolicyRules ?? []).find(({ exitCodes }) => {
      const listed = exitCodes?.values?.includes(exitCode) ?? false;
      return exitCodes?.operator === "NotIn" ? !listed : listed;
    });
    if (rule?.action === "Restart") return true;
  }
  switch (container.restartPolicy ?? pod.spec?.restartPolicy) {
    case "Never":
      return false;
    case "OnFailure":
      return exitCode !== 0;
    default:
      return true;
  }
}
