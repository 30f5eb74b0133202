import {
  ifFound,
  isConflict,
  isNotFound,
  messageOf,
  StatusError,
  withTypeMeta,
  type Clock,
  type Logger,
} from "@kedge/machinery";
import { Pod, type PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { ControllerHost, EventRecorder, Informer } from "@kedge/runtime";
import type { PodStatement } from "./pod-status-writer.ts";
import { defaultProfile } from "./profile.ts";
import type { QueuedPod } from "./queue/queued-pod.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";
import type { ClusterView } from "./view/cluster-view.ts";
import { podInfoOf, type PodInfo } from "./view/pod-info.ts";
import { volumesBound, writeVolumePlan } from "./volumes/bind-volumes.ts";
import type { VolumePlan } from "./volumes/volume-catalog.ts";

/** How many bindings are under way at a time. Pods that wait for their volumes do not count. */
const mostBindings = 32;

/** What binding takes. */
export interface BinderOptions {
  readonly client: ControllerHost["client"];
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly view: ClusterView;
  readonly queue: SchedulingQueue;
  readonly pods: Informer<Pod>;
  readonly claims: Informer<PersistentVolumeClaim>;
  /** Says something in the status of a pod, and in an event. */
  readonly tell: (pod: PodInfo, statement: PodStatement) => void;
  /** Called when another binding may begin. */
  readonly onFree: () => void;
}

/** A node that was chosen for a pod. */
export interface Choice {
  readonly node: string;
  readonly plan: VolumePlan;
  /** Takes back what was promised of volumes. */
  readonly takeBack: () => void;
  readonly signal: AbortSignal;
}

/** Carries out what was chosen: volumes first, then the pod. What fails leaves its room and goes back to the queue. */
export class Binder {
  readonly #options: BinderOptions;
  readonly #running = new Set<Promise<void>>();
  #bindings = 0;

  constructor(options: BinderOptions) {
    this.#options = options;
  }

  /** Whether no other binding may begin now. */
  get isFull(): boolean {
    return this.#bindings >= mostBindings;
  }

  bind(queued: QueuedPod, choice: Choice): void {
    const { bindings, provisions } = choice.plan;
    const hasVolumes = bindings.length + provisions.length > 0;
    this.#run(hasVolumes ? this.#bindWithVolumes(queued, choice) : this.#bindPod(queued, choice));
  }

  /** Asks the server whether a pod was bound whose answer was lost. When it does not answer either, the room stays taken. */
  ask(queued: QueuedPod, signal: AbortSignal): void {
    this.#run(this.#counted(() => this.#ask(queued, signal)));
  }

  /** Resolves when all has ended that was begun. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #run(work: Promise<void>): void {
    const { logger } = this.#options;
    const running = work
      .catch((error: unknown) => logger.error("A binding ended unexpectedly", { error }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #counted(work: () => Promise<void>): Promise<void> {
    this.#bindings++;
    try {
      await work();
    } finally {
      this.#bindings--;
      this.#options.onFree();
    }
  }

  async #bindWithVolumes(queued: QueuedPod, choice: Choice): Promise<void> {
    const { client, clock, claims, tell } = this.#options;
    const { node, plan, takeBack, signal } = choice;
    const binder = { client, clock, claims };
    try {
      // Others are told where the pod will be: it may take a while.
      tell(queued.info, { nominatedNode: node });
      await writeVolumePlan(binder, plan, node);
      takeBack();
      await volumesBound(binder, plan, { node, signal });
    } catch (error) {
      takeBack();
      if (signal.aborted) return;
      const message = `running PreBind plugin "VolumeBinding": binding volumes: ${messageOf(error)}`;
      this.#leave(queued, { message, isQuiet: isNotFound(error) || isConflict(error) });
      return;
    }
    await this.#bindPod(queued, choice);
  }

  async #bindPod(queued: QueuedPod, { node, takeBack }: Choice): Promise<void> {
    const { pod } = queued.info;
    await this.#counted(async () => {
      try {
        await this.#options.client.of(Pod).binding.create(pod.metadata, node);
      } catch (error) {
        this.#failed(queued, error);
        return;
      }
      const { namespace, name } = pod.metadata;
      this.#options.events.record(withTypeMeta(Pod, pod), {
        reason: "Scheduled",
        message: `Successfully assigned ${namespace}/${name} to ${node}`,
        action: "Binding",
        reporter: pod.spec.schedulerName ?? defaultProfile.schedulerName,
      });
    });
    takeBack();
  }

  #failed(queued: QueuedPod, error: unknown): void {
    if (error instanceof StatusError && error.code < 500) {
      const message = `running Bind plugin "DefaultBinder": ${messageOf(error)}`;
      // It went, or someone else placed or changed it: then the cache will show what is to be done.
      this.#leave(queued, { message, isQuiet: isNotFound(error) || isConflict(error) });
      return;
    }
    // With another answer than a refusal, or none, it may be bound.
    this.#options.view.doubt(queued.uid);
    this.#options.queue.failed(queued);
  }

  /** Leaves the room that was taken for a pod, and tries it again later. */
  #leave(queued: QueuedPod, why: { readonly message: string; readonly isQuiet: boolean }): void {
    const { view, queue, tell } = this.#options;
    const left = view.forget(queued.uid);
    const isWaiting = this.#refresh(queued);
    if (isWaiting && !why.isQuiet) {
      tell(queued.info, {
        unscheduled: { reason: "SchedulerError", message: why.message },
        nominatedNode: "",
      });
    }
    if (isWaiting) queue.failed(queued);
    if (left !== undefined) queue.wake({ type: "pod-removed", pod: left });
  }

  async #ask(queued: QueuedPod, signal: AbortSignal): Promise<void> {
    const { client, view, queue } = this.#options;
    const { uid } = queued;
    const asking = ifFound(client.of(Pod).get(queued.info.pod.metadata, { signal }));
    const [answer] = await Promise.allSettled([asking]);
    // The cache may have shown it meanwhile.
    if (!view.isDoubtful(uid)) return;
    if (answer.status === "rejected") {
      queue.failed(queued);
      return;
    }
    const found = answer.value;
    const node = found?.metadata.uid === uid ? (found.spec.nodeName ?? "") : "";
    if (found !== undefined && node !== "") {
      view.assume(found, node);
      return;
    }
    const left = view.forget(uid);
    if (this.#refresh(queued)) queue.put(queued.info);
    if (left !== undefined) queue.wake({ type: "pod-removed", pod: left });
  }

  /** Takes the newest of a pod. False: it waits no longer. */
  #refresh(queued: QueuedPod): boolean {
    const pod = this.#options.pods.get(queued.info.pod.metadata);
    if (pod === undefined || pod.metadata.uid !== queued.uid || (pod.spec.nodeName ?? "") !== "")
      return false;
    if (pod.metadata.deletionTimestamp !== undefined) return false;
    queued.info = podInfoOf(pod, queued.info);
    return true;
  }
}
