import { clone, formatTime } from "@kedge/machinery";
import type {
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
} from "@kedge/machinery/kinds/core/v1";
import { initContainersOf, isSidecar, restarts, runsOf } from "../model/spec-of.ts";
import type {
  ApiPod,
  ContainerDefinition,
  Health,
  Instance,
  OldContainerStatus,
  OldPodStatus,
  ResizeState,
  Waiting,
} from "../model/types.ts";

/** What a pod's status is made of. Pure data. */
export interface StatusInput {
  readonly pod: ApiPod;
  readonly now: number;
  /** What was reported last. */
  readonly old: OldPodStatus | undefined;
  readonly instances: readonly Instance[];
  /** By instance id. */
  readonly health: ReadonlyMap<string, Health>;
  /** By container name. */
  readonly waiting: ReadonlyMap<string, Waiting>;
  /** Containers are to have other resources than they run with. */
  readonly resize?: ResizeState | undefined;
  /** It has come to its end: nothing is started again. */
  readonly ended: boolean;
  /** What container ids begin with: `runc`. */
  readonly scheme: string;
  readonly hostAddress: string;
  /** Undefined: it has none yet. */
  readonly podAddress: string | undefined;
  /** How a container ended that is not there any more, by id; undefined: nobody knows. */
  readonly pastEnd?: (id: string) => Instance | undefined;
}

/** The statuses of the init containers (in the order of the spec) or of the others (by name). */
export function containerStatuses(
  input: StatusInput,
  containers: readonly ContainerDefinition[],
  old: readonly OldContainerStatus[] | undefined,
): ContainerStatus[] {
  return containers.map((container) =>
    containerStatus(
      input,
      container,
      old?.find(({ name }) => name === container.name),
    ),
  );
}

function containerStatus(
  input: StatusInput,
  container: ContainerDefinition,
  old: OldContainerStatus | undefined,
): ContainerStatus {
  const [latest, previous] = runsOf(input.instances, container.name);
  const known =
    latest === undefined
      ? unseenStatus(input, container, old)
      : statusOfRun(input, container, { latest, previous, old });
  const status = withWaiting(input, container, known);
  return { ...status, ...readiness(input, container, { latest, status }) };
}

/** Nothing has run, or nothing is left of what ran. */
function unseenStatus(
  input: StatusInput,
  container: ContainerDefinition,
  old: OldContainerStatus | undefined,
): ContainerStatus {
  const { pod } = input;
  if (old?.state?.terminated !== undefined) return clone(old);
  const reason = initContainersOf(pod).length > 0 ? "PodInitializing" : "ContainerCreating";
  const wasRunning = old?.state?.running !== undefined;
  return {
    name: container.name,
    ready: false,
    image: container.image ?? "",
    imageID: "",
    restartCount:
      (old?.restartCount ?? 0) + (wasRunning && pod.metadata.deletionTimestamp === undefined ? 1 : 0),
    state: { waiting: { reason } },
    lastState: wasRunning ? { terminated: pastEndOf(input, old.containerID) } : clone(old?.lastState ?? {}),
    ...mountStatuses(container),
  };
}

function pastEndOf({ pastEnd, scheme }: StatusInput, containerID = ""): ContainerStateTerminated {
  const end = pastEnd?.(containerID.slice(`${scheme}://`.length));
  return end === undefined ? { ...unknownEnd } : terminated(end, scheme);
}

const unknownEnd: ContainerStateTerminated = {
  exitCode: 137,
  reason: "ContainerStatusUnknown",
  message: "The container could not be located when the pod was deleted.  The container used to be Running",
  startedAt: null,
  finishedAt: null,
};

function statusOfRun(
  { scheme }: StatusInput,
  container: ContainerDefinition,
  runs: {
    readonly latest: Instance;
    readonly previous: Instance | undefined;
    readonly old: OldContainerStatus | undefined;
  },
): ContainerStatus {
  const { latest, previous, old } = runs;
  const containerID = `${scheme}://${latest.id}`;
  // What it runs with, whatever the spec says by now.
  const resources = latest.resources ?? container.resources;
  const { requests } = resources ?? {};
  return {
    name: container.name,
    ready: false,
    image: latest.image,
    imageID: latest.imageId,
    containerID,
    restartCount: latest.attempt,
    state: stateOf(latest, scheme),
    lastState: previous === undefined ? lastStateFrom(old, containerID) : stateOf(previous, scheme),
    ...(requests !== undefined && { allocatedResources: { ...requests } }),
    ...(resources !== undefined && { resources: clone(resources) }),
    ...mountStatuses(container),
  };
}

/** The run before this one is not there any more: what was reported of it stays. */
function lastStateFrom(old: OldContainerStatus | undefined, containerID: string): ContainerState {
  if (old === undefined) return {};
  if (old.containerID !== containerID && old.state?.terminated !== undefined) return clone(old.state);
  return clone(old.lastState ?? {});
}

function stateOf(run: Instance, scheme: string): ContainerState {
  switch (run.state) {
    case "created":
      return { waiting: { reason: "ContainerCreating" } };
    case "running":
      return { running: { startedAt: formatTime(run.startedAt ?? 0) } };
    case "exited":
      return { terminated: terminated(run, scheme) };
  }
}

function terminated(run: Instance, scheme: string): ContainerStateTerminated {
  const exitCode = run.exitCode ?? 137;
  return {
    exitCode,
    reason: run.oomKilled ? "OOMKilled" : exitCode === 0 ? "Completed" : "Error",
    ...(run.message !== undefined && run.message !== "" && { message: run.message }),
    startedAt: run.startedAt === undefined ? null : formatTime(run.startedAt),
    finishedAt: run.finishedAt === undefined ? null : formatTime(run.finishedAt),
    containerID: `${scheme}://${run.id}`,
  };
}

/** A container that should run and cannot is waiting, whatever it did before. */
function withWaiting(
  input: StatusInput,
  container: ContainerDefinition,
  status: ContainerStatus,
): ContainerStatus {
  const waiting = input.waiting.get(container.name);
  if (waiting === undefined || input.ended || status.state?.running !== undefined) return status;
  const ended = status.state?.terminated;
  if (ended !== undefined && !mayRunAgain(input.pod, container, ended.exitCode)) return status;
  return {
    ...status,
    ...(ended !== undefined && { lastState: status.state }),
    state: { waiting: { reason: waiting.reason, message: waiting.message } },
  };
}

function mayRunAgain(pod: ApiPod, container: ContainerDefinition, exitCode: number): boolean {
  const isInit = initContainersOf(pod).includes(container);
  if (isInit && !isSidecar(container) && exitCode === 0) return false;
  return restarts(pod, container, exitCode);
}

function readiness(
  input: StatusInput,
  container: ContainerDefinition,
  run: { readonly latest: Instance | undefined; readonly status: ContainerStatus },
): { started: boolean; ready: boolean } {
  const { latest, status } = run;
  const isPlainInit = initContainersOf(input.pod).includes(container) && !isSidecar(container);
  const isRunning = status.state?.running !== undefined && latest !== undefined;
  const health = isRunning ? input.health.get(latest.id) : undefined;
  const started = isRunning && (health?.started ?? container.startupProbe === undefined);
  if (isPlainInit) return { started, ready: status.state?.terminated?.exitCode === 0 };
  const ready = health?.ready ?? container.readinessProbe === undefined;
  return { started, ready: started && ready };
}

function mountStatuses(container: ContainerDefinition): Pick<ContainerStatus, "volumeMounts"> {
  const mounts = container.volumeMounts ?? [];
  if (mounts.length === 0) return {};
  return {
    volumeMounts: mounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly === true && { readOnly, recursiveReadOnly: "Disabled" }),
    })),
  };
}
