import { durationFromMs, durationToString } from "@kedge/machinery";
import {
  containerOf,
  containersOf,
  ephemeralContainersOf,
  initContainersOf,
  isSidecar,
  restarts,
  runsOf,
} from "../model/spec-of.ts";
import type {
  ContainerDefinition,
  Instance,
  ObservedPod,
  PodAction,
  PodPlan,
  ResizeState,
  StartFailure,
  Waiting,
} from "../model/types.ts";
import { raised, restartAt } from "./crash-backoff.ts";
import { planResize } from "./plan-resize.ts";

/** How many ended runs of a container are kept beside the latest: the one that `kubectl logs --previous` shows. */
const keptRuns = 1;
const shownAsErrorMs = 2_000;

/** The way up: the sandbox, then the init containers in order, then all others; and again whatever has ended. */
export function planRunning(observed: ObservedPod): PodPlan {
  const draft = new Draft(observed);
  if (prepareSandbox(observed, draft)) {
    startContainers(observed, draft);
    resizeContainers(observed, draft);
  }
  return draft.plan();
}

/** Collects actions, and the earliest time at which something is due. */
class Draft {
  readonly #observed: ObservedPod;
  readonly #actions: PodAction[] = [];
  readonly #waiting = new Map<string, Waiting>();
  #wakeAt: number | undefined;
  #resize: ResizeState | undefined;

  constructor(observed: ObservedPod) {
    this.#observed = observed;
    for (const [name, failure] of observed.failures) this.#waiting.set(name, this.#reasonOf(name, failure));
  }

  /** A pull that failed is an error at first, then it is the waiting for the next one. */
  #reasonOf(name: string, { reason, message, failedAt }: StartFailure): Waiting {
    if (reason !== "ErrImagePull" || !this.isDue(failedAt + shownAsErrorMs)) return { reason, message };
    const { image } = containerOf(this.#observed.pod, name) ?? {};
    return {
      reason: "ImagePullBackOff",
      message: `Back-off pulling image "${image}": ErrImagePull: ${message}`,
    };
  }

  act(action: PodAction): void {
    this.#actions.push(action);
  }

  wait(name: string, waiting: Waiting): void {
    this.#waiting.set(name, waiting);
  }

  /** Whether the time has come; if not, we look again when it has. */
  isDue(at: number): boolean {
    if (at <= this.#observed.now) return true;
    this.#wakeAt = Math.min(at, this.#wakeAt ?? at);
    return false;
  }

  setResize(state: ResizeState | undefined): void {
    this.#resize = state;
  }

  plan(): PodPlan {
    return {
      actions: this.#actions,
      waiting: this.#waiting,
      wakeAt: this.#wakeAt,
      ...(this.#resize !== undefined && { resize: this.#resize }),
    };
  }
}

/** Whether the pod's folder, network and volumes are there. */
function prepareSandbox(observed: ObservedPod, draft: Draft): boolean {
  const { sandbox, instances } = observed;
  switch (sandbox.state) {
    case "ready":
      if (observed.refresh) draft.act({ type: "refresh" });
      return true;
    case "unfinished":
      if (draft.isDue(sandbox.retryAt ?? observed.now)) draft.act({ type: "prepare" });
      return false;
    case "lost":
      for (const instance of instances) draft.act({ type: "remove", instance });
      if (instances.length === 0) draft.act({ type: "prepare" });
      return false;
    case "absent":
      draft.act({ type: "prepare" });
      return false;
    case "preparing":
    case "clearing":
      return false;
  }
}

function startContainers(observed: ObservedPod, draft: Draft): void {
  removeLeftovers(observed, draft);
  const initialized = containersOf(observed.pod).some(
    ({ name }) => runsOf(observed.instances, name).length > 0,
  );
  if (containersOf(observed.pod).every((container) => hasEndedForGood(observed, container))) {
    stopLastSidecar(observed, draft);
    return;
  }
  // Whatever the others wait for: they are there to find out.
  for (const container of ephemeralContainersOf(observed.pod)) runOnce(observed, draft, container);
  for (const container of initContainersOf(observed.pod)) {
    const goesOn = isSidecar(container)
      ? keepSidecar(observed, draft, container)
      : initialized || runInit(observed, draft, container);
    if (!goesOn && !initialized) return;
  }
  for (const container of containersOf(observed.pod)) keepRunning(observed, draft, container);
}

/** What fails is tried again with every look. */
function resizeContainers(observed: ObservedPod, draft: Draft): void {
  const { state, changes, restarts: ending } = planResize(observed);
  draft.setResize(state);
  if (changes.length > 0) draft.act({ type: "resize", changes });
  for (const { instance, container } of ending) {
    if (observed.busy.has(container.name)) continue;
    draft.act({
      type: "stop",
      instance,
      graceSeconds: observed.pod.spec?.terminationGracePeriodSeconds ?? 30,
      message: `Container ${container.name} resize requires restart`,
    });
  }
}

function hasEndedForGood({ pod, instances }: ObservedPod, container: ContainerDefinition): boolean {
  const [latest] = runsOf(instances, container.name);
  return latest?.state === "exited" && !restarts(pod, container, latest.exitCode ?? 137);
}

/** Sidecars do not outlive what they are there for: they go one after the other, the last one first. */
function stopLastSidecar({ pod, instances }: ObservedPod, draft: Draft): void {
  const running = initContainersOf(pod)
    .filter(isSidecar)
    .map(({ name }) => runsOf(instances, name)[0])
    .findLast((run) => run?.state === "running");
  if (running === undefined) return;
  const graceSeconds = pod.spec?.terminationGracePeriodSeconds ?? 30;
  const message = `Stopping container ${running.name}`;
  draft.act({ type: "stop", instance: running, graceSeconds, message });
}

/** Runs that were never started, and ended ones that nobody asks for any more. */
function removeLeftovers({ instances, busy }: ObservedPod, draft: Draft): void {
  for (const name of new Set(instances.map((instance) => instance.name))) {
    if (busy.has(name)) continue;
    const runs = runsOf(instances, name);
    const ended = runs.slice(1).filter(({ state }) => state === "exited");
    for (const instance of runs.filter(({ state }) => state === "created")) {
      draft.act({ type: "remove", instance });
    }
    for (const instance of ended.slice(keptRuns)) draft.act({ type: "remove", instance });
  }
}

/** Starts it unless it ever ran, as the runtime, a log or the last reported status tells. */
function runOnce(observed: ObservedPod, draft: Draft, container: ContainerDefinition): void {
  const [latest] = runsOf(observed.instances, container.name);
  if (latest !== undefined && latest.state !== "created") return;
  if (nextAttempt(observed, container.name) === 0) start(observed, draft, container);
}

/** Whether the next init container may run. */
function runInit(observed: ObservedPod, draft: Draft, container: ContainerDefinition): boolean {
  const [latest] = runsOf(observed.instances, container.name);
  if (latest?.state === "exited" && latest.exitCode === 0) return true;
  if (latest?.state === "running") return false;
  if (latest === undefined || latest.state === "created") start(observed, draft, container);
  else if (restarts(observed.pod, container, latest.exitCode ?? 137))
    startAgain(observed, draft, container, latest);
  return false;
}

/** Whether the next init container may run. */
function keepSidecar(observed: ObservedPod, draft: Draft, container: ContainerDefinition): boolean {
  keepRunning(observed, draft, container);
  const [latest] = runsOf(observed.instances, container.name);
  if (latest?.state !== "running") return false;
  return observed.health.get(latest.id)?.started ?? container.startupProbe === undefined;
}

function keepRunning(observed: ObservedPod, draft: Draft, container: ContainerDefinition): void {
  const [latest] = runsOf(observed.instances, container.name);
  if (latest === undefined || latest.state === "created") start(observed, draft, container);
  else if (latest.state === "running") stopIfUnhealthy(observed, draft, container, latest);
  else if (restarts(observed.pod, container, latest.exitCode ?? 137))
    startAgain(observed, draft, container, latest);
}

function stopIfUnhealthy(
  observed: ObservedPod,
  draft: Draft,
  container: ContainerDefinition,
  instance: Instance,
): void {
  const failed = observed.health.get(instance.id)?.failed;
  if (failed === undefined || observed.busy.has(container.name)) return;
  const probe = failed === "liveness" ? container.livenessProbe : container.startupProbe;
  draft.act({
    type: "stop",
    instance,
    graceSeconds:
      probe?.terminationGracePeriodSeconds ?? observed.pod.spec?.terminationGracePeriodSeconds ?? 30,
    message: `Container ${container.name} failed ${failed} probe, will be restarted`,
  });
}

function start(observed: ObservedPod, draft: Draft, container: ContainerDefinition): void {
  if (observed.busy.has(container.name)) return;
  const failure = observed.failures.get(container.name);
  if (failure !== undefined && !draft.isDue(failure.until)) return;
  draft.act({ type: "start", container, attempt: nextAttempt(observed, container.name), backoff: undefined });
}

function startAgain(
  observed: ObservedPod,
  draft: Draft,
  container: ContainerDefinition,
  ended: Instance,
): void {
  const { name } = container;
  if (observed.busy.has(name)) return;
  const failure = observed.failures.get(name);
  if (failure !== undefined && !draft.isDue(failure.until)) return;
  const backoff = observed.backoffs.get(name);
  const finishedAt = ended.finishedAt ?? observed.now;
  if (failure === undefined && !draft.isDue(restartAt(backoff, finishedAt))) {
    const { metadata } = observed.pod;
    const delay = durationToString(durationFromMs(backoff?.delayMs ?? 0));
    const pod = `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
    draft.wait(name, {
      reason: "CrashLoopBackOff",
      message: `back-off ${delay} restarting failed container=${name} pod=${pod}`,
    });
    return;
  }
  draft.act({
    type: "start",
    container,
    attempt: nextAttempt(observed, name),
    backoff: failure === undefined ? raised(backoff, finishedAt, observed.now) : undefined,
  });
}

/** One more than the highest that the runtime, a log or the last reported status tells of. */
function nextAttempt(observed: ObservedPod, name: string): number {
  const ran = runsOf(observed.instances, name).find(({ state }) => state !== "created")?.attempt;
  const logged = observed.lastAttempts.get(name);
  if (ran !== undefined || logged !== undefined) return Math.max(ran ?? -1, logged ?? -1) + 1;
  const { status } = observed.pod;
  const reported = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ].find((one) => one.name === name);
  const { restartCount = 0, state } = reported ?? {};
  return restartCount + (state?.running === undefined && state?.terminated === undefined ? 0 : 1);
}
