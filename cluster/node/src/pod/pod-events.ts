import type { EventRecorder } from "@kedge/runtime";
import { ephemeralContainersOf, initContainersOf } from "../model/spec-of.ts";
import type { ApiPod } from "../model/types.ts";

/** Tells what happens to a pod and its containers. */
export interface PodEvents {
  normal(reason: string, message: string, container?: string): void;
  warning(reason: string, message: string, container?: string): void;
}

/** Events about a pod; those about a container say which. */
export function podEvents(recorder: EventRecorder, pod: () => ApiPod): PodEvents {
  const record = (
    type: "Normal" | "Warning",
    note: { readonly reason: string; readonly message: string },
    container: string | undefined,
  ): void => {
    const { metadata } = pod();
    recorder.record(
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata,
        ...(container !== undefined && { fieldPath: fieldPath(pod(), container) }),
      },
      { type, ...note },
    );
  };
  return {
    normal: (reason, message, container) => record("Normal", { reason, message }, container),
    warning: (reason, message, container) => record("Warning", { reason, message }, container),
  };
}

function fieldPath(pod: ApiPod, container: string): string {
  const isIn = (list: readonly { readonly name: string }[]): boolean =>
    list.some(({ name }) => name === container);
  const init = isIn(initContainersOf(pod)) ? "initContainers" : undefined;
  const ephemeral = isIn(ephemeralContainersOf(pod)) ? "ephemeralContainers" : undefined;
  return `spec.${init ?? ephemeral ?? "containers"}{${container}}`;
}
