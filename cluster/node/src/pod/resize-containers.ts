import { messageOf } from "@kedge/machinery";
import { resourcesOf } from "../containers/resources.ts";
import { containersOf, initContainersOf } from "../model/spec-of.ts";
import type { ApiPod, ContainerChange, ContainerDefinition } from "../model/types.ts";
import type { PodContext } from "./context.ts";
import { labelsWith } from "./labels.ts";
import type { PodEvents } from "./pod-events.ts";

/** Gives running containers the limits that the spec says by now. Gives why it could not be done, by container name. */
export async function resizeContainers(
  { runtime, memoryBytes }: Pick<PodContext, "runtime" | "memoryBytes">,
  events: PodEvents,
  { pod, changes }: { readonly pod: ApiPod; readonly changes: readonly ContainerChange[] },
): Promise<ReadonlyMap<string, string>> {
  const errors = new Map<string, string>();
  for (const { instance, container } of changes) {
    try {
      const resources = resourcesOf(pod, container, memoryBytes);
      const used = (await runtime.usage(instance.id))?.workingSetBytes ?? 0;
      const { memoryLimitBytes = Number.POSITIVE_INFINITY } = resources;
      if (memoryLimitBytes < used) {
        throw new Error(
          `cannot decrease memory limits: attempting to set container "${container.name}" memory limit (${memoryLimitBytes}) below current usage (${used})`,
        );
      }
      const info = await runtime.inspect(instance.id);
      if (info?.state !== "running") continue;
      await runtime.update(instance.id, { resources, labels: labelsWith(info, container.resources) });
    } catch (error) {
      errors.set(container.name, messageOf(error));
    }
  }
  const [error] = errors.values();
  if (error === undefined) events.normal("ResizeCompleted", resizeMessage("Pod resize completed", pod));
  else events.warning("ResizeError", resizeMessage("Pod resize error", pod, error));
  return errors;
}

/** What is told of a resize: the wish as a whole, and what is in its way. */
export function resizeMessage(what: string, pod: ApiPod, error?: string): string {
  const init = summary(initContainersOf(pod));
  return `${what}: ${JSON.stringify({
    ...(init.length > 0 && { initContainers: init }),
    containers: summary(containersOf(pod)),
    generation: pod.metadata.generation ?? 0,
    ...(error !== undefined && { error }),
  })}`;
}

function summary(containers: readonly ContainerDefinition[]): readonly object[] {
  return containers.map(({ name, resources = {} }) => ({ name, resources }));
}
