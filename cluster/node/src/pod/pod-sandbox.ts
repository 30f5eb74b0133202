import { inBackground, messageOf } from "@kedge/machinery";
import { appArmorRefusal } from "../containers/app-armor.ts";
import { MountError } from "../volumes/mount-error.ts";
import type { PodObjects } from "../volumes/types.ts";
import type { PreparedSandbox } from "./container-run.ts";
import type { PodContext } from "./context.ts";
import type { PodEvents } from "./pod-events.ts";
import { attachPod, clearPod, furnishPod, refreshPod } from "./prepare-pod.ts";
import type { ApiPod, SandboxState } from "../model/types.ts";
import { unsupportedIn } from "../model/unsupported.ts";

/** What the sandbox of a pod is made with. */
export interface PodSandboxOptions {
  readonly pod: () => ApiPod;
  readonly events: PodEvents;
  readonly objects: PodObjects;
  /** Containers of an earlier life are there, their network is not. */
  readonly isLost: boolean;
  /** Something changed: look again. */
  readonly onChange: () => void;
  /** The agent ends. */
  readonly signal: AbortSignal;
}

/** Volumes are looked at this often even when no change was heard: tokens have to be renewed. */
const refreshMs = 60_000;
const firstRetryMs = 500;
const longestRetryMs = 60_000;

/** A pod's network, files and volumes. Its methods only begin the work; its end is told by `onChange`. */
export class PodSandbox {
  readonly #context: PodContext;
  readonly #options: PodSandboxOptions;
  #state: SandboxState;
  #prepared: PreparedSandbox | undefined;
  #preparing: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;
  #failures = 0;
  #refreshAt = 0;
  #isRefreshing = false;

  constructor(context: PodContext, options: PodSandboxOptions) {
    this.#context = context;
    this.#options = options;
    this.#state = { state: options.isLost ? "lost" : "unfinished" };
  }

  get state(): SandboxState {
    return this.#state;
  }

  /** What containers are given; undefined until it is there. The address is there before the volumes. */
  get prepared(): PreparedSandbox | undefined {
    return this.#prepared;
  }

  /** Whether the volumes should be looked at. */
  get isStale(): boolean {
    return !this.#isRefreshing && this.#context.clock.now() >= this.#refreshAt;
  }

  /** An object that a volume is made of has changed. */
  markStale(): void {
    this.#refreshAt = 0;
  }

  prepare(): void {
    const stop = new AbortController();
    this.#state = { state: "preparing" };
    const done = this.#prepare(AbortSignal.any([stop.signal, this.#options.signal]));
    inBackground(done, this.#report);
    this.#preparing = { stop, done };
  }

  refresh(): void {
    const { prepared } = this;
    if (prepared === undefined) return;
    this.#isRefreshing = true;
    this.#refreshAt = this.#context.clock.now() + refreshMs;
    inBackground(this.#refresh(prepared.podAddress), this.#report);
  }

  clear(): void {
    this.#preparing?.stop.abort();
    this.#state = { state: "clearing" };
    inBackground(this.#clear(), this.#report);
  }

  readonly #report = (error: unknown): void => {
    this.#context.logger.error("Work on a pod's sandbox failed", { error });
  };

  async #prepare(signal: AbortSignal): Promise<void> {
    const { objects, onChange } = this.#options;
    const pod = this.#options.pod();
    try {
      const refused = unsupportedIn(pod) ?? appArmorRefusal(pod, this.#context.appArmor);
      if (refused !== undefined) throw new Error(refused);
      const network = await attachPod(this.#context, pod);
      this.#prepared = { ...network, volumes: new Map() };
      onChange();
      const volumes = await furnishPod(this.#context, pod, {
        podAddress: network.podAddress,
        objects,
        signal,
      });
      signal.throwIfAborted();
      this.#prepared = { ...network, volumes };
      this.#state = { state: "ready" };
      this.#failures = 0;
      this.#refreshAt = this.#context.clock.now() + refreshMs;
    } catch (error) {
      this.#failed(error, signal);
    }
    onChange();
  }

  #failed(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    const delay = Math.min(longestRetryMs, firstRetryMs * 2 ** this.#failures++);
    this.#state = { state: "unfinished", retryAt: this.#context.clock.now() + delay };
    const reason = error instanceof MountError ? "FailedMount" : "FailedCreatePodSandBox";
    this.#options.events.warning(reason, messageOf(error));
  }

  async #refresh(podAddress: string): Promise<void> {
    const { objects, signal, events, onChange } = this.#options;
    try {
      await refreshPod(this.#context, this.#options.pod(), { podAddress, objects, signal });
    } catch (error) {
      if (!signal.aborted) events.warning("FailedMount", messageOf(error));
    }
    this.#isRefreshing = false;
    onChange();
  }

  async #clear(): Promise<void> {
    const { events, signal, onChange } = this.#options;
    await this.#preparing?.done;
    try {
      await clearPod(this.#context, this.#options.pod().metadata.uid);
      this.#prepared = undefined;
      this.#state = { state: "absent" };
    } catch (error) {
      events.warning("FailedKillPod", messageOf(error));
      this.#context.logger.error("A pod's volumes or network could not be removed", { error });
      await this.#context.clock.sleep(firstRetryMs * 4, signal).catch(() => undefined);
      this.#state = { state: "unfinished" };
    }
    onChange();
  }
}
