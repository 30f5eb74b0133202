import type { ContainerInfo } from "../runtime/types.ts";
import { podFolder } from "./pod-folder.ts";
import type { ApiPod, ContainerDefinition, Instance } from "../model/types.ts";

/** What the runtime keeps with each container, so that a restarted agent knows what it is. */
const label = {
  podUid: "io.kubernetes.pod.uid",
  podNamespace: "io.kubernetes.pod.namespace",
  podName: "io.kubernetes.pod.name",
  container: "io.kubernetes.container.name",
  attempt: "io.kubernetes.container.restartCount",
  image: "io.kubernetes.container.image",
  imageId: "io.kubernetes.container.imageID",
  resources: "io.kubernetes.container.resources",
  stopSignal: "io.kubernetes.container.imageStopSignal",
} as const;

/** The labels of a container that is about to be made. */
export function labelsOf(
  pod: ApiPod,
  run: {
    readonly name: string;
    readonly attempt: number;
    readonly image: string;
    readonly imageId: string;
    readonly stopSignal?: string | undefined;
    readonly resources?: ContainerDefinition["resources"];
  },
): Readonly<Record<string, string>> {
  return {
    [label.podUid]: pod.metadata.uid,
    [label.podNamespace]: pod.metadata.namespace,
    [label.podName]: pod.metadata.name,
    [label.container]: run.name,
    [label.attempt]: String(run.attempt),
    [label.image]: run.image,
    [label.imageId]: run.imageId,
    [label.resources]: JSON.stringify(run.resources ?? {}),
    ...(run.stopSignal !== undefined && run.stopSignal !== "" && { [label.stopSignal]: run.stopSignal }),
  };
}

/** The labels of a container that has other resources from now on. */
export function labelsWith(
  info: ContainerInfo,
  resources: ContainerDefinition["resources"],
): Readonly<Record<string, string>> {
  return { ...info.labels, [label.resources]: JSON.stringify(resources ?? {}) };
}

/** The pod that a container belongs to; undefined when it is none of ours. */
export function podUidOf(info: ContainerInfo): string | undefined {
  return info.labels[label.podUid];
}

/** Where the log of a run lies, from what the runtime says. */
export function logPathOf(nodeFolder: string, info: ContainerInfo): string | undefined {
  const { name, attempt } = instanceOf(info, undefined);
  const uid = podUidOf(info);
  return uid === undefined ? undefined : podFolder(nodeFolder, uid).logOf(name, attempt);
}

/** Reads a run from what the runtime says. `message` is what it left behind. */
export function instanceOf(info: ContainerInfo, message: string | undefined): Instance {
  return {
    id: info.id,
    name: info.labels[label.container] ?? "",
    attempt: Number(info.labels[label.attempt] ?? 0),
    state: info.state,
    startedAt: info.startedAt,
    finishedAt: info.finishedAt,
    exitCode: info.exitCode,
    oomKilled: info.oomKilled === true,
    image: info.labels[label.image] ?? "",
    imageId: info.labels[label.imageId] ?? "",
    resources: resourcesFrom(info.labels[label.resources]),
    stopSignal: info.labels[label.stopSignal],
    message,
  };
}

/** An earlier version did not write it. */
function resourcesFrom(text: string | undefined): ContainerDefinition["resources"] {
  // Only `labelsOf` writes it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return text === undefined ? undefined : (JSON.parse(text) as ContainerDefinition["resources"]);
}
