import {
  compareResourceVersions,
  deepEqual,
  isConflict,
  isNotFound,
  macrotask,
  type TypeSchema,
} from "@kedge/machinery";
import { planPod } from "../plan/plan-pod.ts";
import { isFinal } from "../status/phase.ts";
import { podStatusOf, type Verdict } from "../status/pod-status.ts";
import { statusPatch } from "../status/status-patch.ts";
import type { PodContext } from "./context.ts";
import { instanceOf } from "./labels.ts";
import type { RuntimeManager, RuntimeManagerOptions } from "./runtime-manager.ts";
import { PodReports } from "./pod-reports.ts";
import { deadlineOf, evicted, verdictOf } from "./pod-verdict.ts";
import type { ApiPod, Ending, NodeRoom, ObservedPod, PodPlan } from "../model/types.ts";
import { WakeUp } from "./wake-up.ts";

/** A pod is looked at this often even when nothing is heard. */
const resyncMs = 60_000;
/** After an error, a pod is looked at again after this long, doubled up to the second number. */
const retryMs = [1_000, 30_000] as const;

/** A pod that never comes to rest is reported all the same. */
const mostUntold = 5;

/** How long a pod that is evicted gets to stop, as with the kubelet. */
const evictedGraceSeconds = 1;

/** What a worker is given at its start. */
export interface PodWorkerOptions {
  readonly pod: ApiPod;
  /** Ids of containers of this pod that the runtime has already. */
  readonly adopted: readonly string[];
  /** Whether the pod's network is there already. */
  readonly attached: boolean;
  readonly schema: TypeSchema;
  /** Why the node does not take it: it has come while the node is short of something. */
  readonly rejection?: string | undefined;
  /** What the node has left beside its other pods. Default: enough. */
  readonly room?: (() => NodeRoom) | undefined;
  /** Makes what runs the pod on this node. */
  readonly runtimeManager: (options: RuntimeManagerOptions) => RuntimeManager;
}

/** What a worker itself needs of its node. */
export type WorkerContext = Pick<
  PodContext,
  "clock" | "logger" | "runtime" | "hostAddress" | "api" | "appArmor"
>;

/**
 * Looks after one pod, identified by its uid: observes, plans, acts, reports, and sleeps until something happens.
 * Nothing in it blocks: what takes time is a task whose end wakes it.
 */
export class PodWorker {
  readonly #context: WorkerContext;
  readonly #schema: TypeSchema;
  readonly #runtimeManager: RuntimeManager;
  readonly #reports: PodReports;
  readonly #wakeUp: WakeUp;
  #pod: ApiPod;
  #isGone = false;
  #forgotten = false;
  readonly #rejection: string | undefined;
  #eviction: string | undefined;
  readonly #room: (() => NodeRoom) | undefined;
  #resize: PodPlan["resize"];
  #failedSyncs = 0;
  /** Looks in a row that were not reported. */
  #untold = 0;
  #signal: AbortSignal | undefined;

  constructor(context: WorkerContext, options: PodWorkerOptions) {
    this.#context = context;
    this.#schema = options.schema;
    this.#pod = options.pod;
    this.#rejection = options.rejection;
    this.#room = options.room;
    this.#wakeUp = new WakeUp(context.clock);
    this.#reports = new PodReports({
      clock: context.clock,
      onNews: () => this.#wakeUp.ring(),
      onFailure: (error) => this.#reportFailed(error),
    });
    this.#runtimeManager = options.runtimeManager({
      pod: () => this.#pod,
      onChange: () => this.#wakeUp.ring(),
      adopted: options.adopted,
      attached: options.attached,
    });
  }

  /** The newest that is known of it. */
  get pod(): ApiPod {
    return this.#pod;
  }

  /** The API server shows a version of it. */
  update(pod: ApiPod): void {
    this.#adopt(pod);
    this.#reports.hurry();
    this.#wakeUp.ring();
  }

  /** The API server does not know it any more. */
  gone(): void {
    this.#isGone = true;
    this.#wakeUp.ring();
  }

  /** The node is short of something: the pod fails at once, for this reason. */
  evict(message: string): void {
    this.#eviction ??= message;
    this.#wakeUp.ring();
  }

  /** Something may have happened to one of its containers. */
  wake(): void {
    this.#wakeUp.ring();
  }

  /** Resolves when nothing is left of the pod, or when the signal aborts: then its containers go on. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    await this.#runtimeManager.begin(signal);
    try {
      while (!signal.aborted) {
        const wakeAt = await this.#trySync(signal);
        if (this.#forgotten) return;
        await this.#wakeUp.wait(wakeAt, signal);
      }
    } finally {
      this.#runtimeManager.letGo();
      await this.#reports.idle().catch(() => undefined);
    }
  }

  /** Gives when to look again. */
  async #trySync(signal: AbortSignal): Promise<number> {
    const now = this.#context.clock.now();
    try {
      const wakeAt = await this.#sync(signal);
      this.#failedSyncs = 0;
      return Math.min(wakeAt ?? Number.POSITIVE_INFINITY, now + resyncMs);
    } catch (error) {
      if (signal.aborted) return now;
      const { namespace, name } = this.#pod.metadata;
      this.#context.logger.warn("A pod could not be looked after", { pod: `${namespace}/${name}`, error });
      const [first, longest] = retryMs;
      return now + Math.min(longest, first * 2 ** this.#failedSyncs++);
    }
  }

  async #sync(signal: AbortSignal): Promise<number | undefined> {
    const observed = await this.#observe();
    const plan = planPod(observed);
    this.#tellResize(plan);
    this.#runtimeManager.tellWaiting(plan.waiting);
    for (const action of plan.actions) {
      if (action.type === "forget") {
        await this.#runtimeManager.forget();
        this.#forgotten = true;
      } else if (action.type !== "delete") await this.#runtimeManager.act(action);
    }
    const isLast = plan.actions.some(({ type }) => type === "delete");
    if (isLast) await this.#reportNow(observed, plan, signal);
    else if (!this.#isGone && !(await this.#isOutOfDate(plan))) await this.#report(observed, plan, signal);
    if (isLast) await this.#context.api.delete(this.#pod, signal);
    const due = [plan.wakeAt, observed.lookAt, deadlineOf(this.#pod), this.#reports.retryAt];
    return due.reduce(earliest);
  }

  /**
   * Whether what was done has led to something already: the next look, which follows at once, reports it. So what takes
   * no time is told with its outcome, and a simulated pod costs one write to run, not two.
   */
  async #isOutOfDate({ actions }: PodPlan): Promise<boolean> {
    if (actions.length > 0) await this.#context.clock.track(macrotask());
    const isSo = actions.length > 0 && this.#wakeUp.isRung && this.#untold < mostUntold;
    this.#untold = isSo ? this.#untold + 1 : 0;
    return isSo;
  }

  /** Whether it has yet to be given what its spec says, for want of room. */
  get isDeferred(): boolean {
    return this.#resize?.type === "pending";
  }

  #tellResize({ resize }: PodPlan): void {
    const before = this.#resize;
    this.#resize = resize;
    if (deepEqual(before, resize)) return;
    if (resize !== undefined) this.#runtimeManager.tellResize?.(resize);
  }

  async #observe(): Promise<ObservedPod> {
    const seen = await this.#runtimeManager.look();
    const room = this.#room;
    return {
      pod: this.#pod,
      now: this.#context.clock.now(),
      ending: this.#ending(),
      ...seen,
      // Only who is to be resized asks, and the answer takes a look at all other pods of the node.
      get room() {
        return room?.();
      },
    };
  }

  #ending(): Ending | undefined {
    const { metadata, spec, status } = this.#pod;
    const usual = spec?.terminationGracePeriodSeconds ?? 30;
    const graceSeconds = metadata.deletionGracePeriodSeconds ?? usual;
    if (this.#isGone) return { why: "gone", graceSeconds };
    if (metadata.deletionTimestamp !== undefined) return { why: "deleted", graceSeconds };
    // Nobody waits for the API server when the machine is at its end.
    if (this.#eviction !== undefined || this.#rejection !== undefined)
      return { why: "finished", graceSeconds: evictedGraceSeconds };
    if (isFinal(status?.phase)) {
      return { why: "finished", graceSeconds: status?.reason === evicted ? evictedGraceSeconds : usual };
    }
    return undefined;
  }

  /** Resolves when the API server has it. */
  async #reportNow(observed: ObservedPod, plan: PodPlan, signal: AbortSignal): Promise<void> {
    await this.#reports.idle().catch(() => undefined);
    this.#reports.hurry();
    if (!this.#isGone) await this.#report(observed, plan, signal);
    await this.#reports.idle();
  }

  /** Begins to report what there is to say; the pod is looked after meanwhile. */
  async #report(observed: ObservedPod, plan: PodPlan, signal: AbortSignal): Promise<void> {
    if (!this.#reports.mayBegin()) return;
    const { runtime, hostAddress, clock } = this.#context;
    const { ending } = observed;
    // What was done since changes the picture: the report must not be older than the deeds.
    const { instances, health, sandbox } =
      plan.actions.length === 0 ? observed : await this.#runtimeManager.look();
    const status = podStatusOf(
      {
        pod: this.#pod,
        now: clock.now(),
        old: this.#pod.status,
        instances,
        health,
        waiting: plan.waiting,
        resize: plan.resize,
        ended: ending !== undefined && sandbox.state === "absent",
        scheme: runtime.version.split("://")[0] ?? "runc",
        hostAddress,
        podAddress: this.#runtimeManager.address,
        pastEnd: (id) => {
          const end = runtime.pastEnd(id);
          return end && instanceOf(end, undefined);
        },
      },
      this.#verdict(),
    );
    const patch = statusPatch(this.#pod, status, { schema: this.#schema, old: this.#pod.status });
    if (patch !== undefined) this.#reports.begin(() => this.#send(patch, signal));
  }

  async #send(patch: object, signal: AbortSignal): Promise<void> {
    const before = this.#pod.status?.phase;
    try {
      this.#adopt(await this.#context.api.patchStatus(this.#pod, patch, signal));
    } catch (error) {
      // It is gone, or another one has its name: the informer will say so.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    if (before !== "Failed" && this.#pod.status?.reason === evicted) {
      this.#runtimeManager.tellEvicted(this.#rejection ?? this.#pod.status.message ?? "");
    }
    // The end of a pod begins when everybody can see it.
    if (before !== this.#pod.status?.phase) this.#wakeUp.ring();
  }

  #reportFailed(error: unknown): void {
    if (this.#signal?.aborted === true) return;
    const { namespace, name } = this.#pod.metadata;
    this.#context.logger.warn("A pod's status could not be reported", { pod: `${namespace}/${name}`, error });
  }

  #verdict(): Verdict | undefined {
    return verdictOf(this.#pod, {
      now: this.#context.clock.now(),
      appArmor: this.#context.appArmor,
      rejection: this.#rejection,
      exceeded: this.#eviction ?? this.#runtimeManager.storageExceeded,
    });
  }

  /** Takes a version of the pod, unless a newer one is known. */
  #adopt(pod: ApiPod): void {
    if (pod.metadata.uid !== this.#pod.metadata.uid) return;
    const order = compareResourceVersions(pod.metadata.resourceVersion, this.#pod.metadata.resourceVersion);
    if (order === undefined || order >= 0) this.#pod = pod;
  }
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
