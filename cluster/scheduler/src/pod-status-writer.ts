import {
  deepEqual,
  formatTime,
  ifFound,
  inBackground,
  isConflict,
  isNotFound,
  type Clock,
  type DeepReadonly,
  type Logger,
} from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ControllerHost, Informer } from "@kedge/runtime";

/** What is to be said of a pod in its status. */
export interface PodStatement {
  /** Why it has no node. */
  readonly unscheduled?: { readonly reason: string; readonly message: string };
  /** The node that it was promised; "": none. Undefined: as before. */
  readonly nominatedNode?: string;
}

/** What a writer needs. */
export interface PodStatusWriterOptions {
  readonly client: ControllerHost["client"];
  readonly pods: Informer<Pod>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** So many are written at a time. */
const lanes = 16;

/**
 * Writes what became of pods into their status, in the background. Of each pod only the newest is written, one after the
 * other, and nothing when the status says it already.
 */
export class PodStatusWriter {
  readonly #options: PodStatusWriterOptions;
  readonly #waiting = new Map<string, PodKey & { readonly statement: PodStatement }>();
  readonly #busy = new Set<string>();
  #running = 0;

  constructor(options: PodStatusWriterOptions) {
    this.#options = options;
  }

  write(pod: PodKey & { readonly uid: string }, statement: PodStatement): void {
    const { namespace, name, uid } = pod;
    const before = this.#waiting.get(uid)?.statement;
    this.#waiting.set(uid, { namespace, name, statement: { ...before, ...statement } });
    this.#startLanes();
  }

  #startLanes(): void {
    while (this.#running < lanes && this.#next() !== undefined) {
      this.#running++;
      inBackground(
        this.#runLane().finally(() => this.#running--),
        (error) => this.#options.logger.error("The statuses of pods are not written any more", { error }),
      );
    }
  }

  #next(): string | undefined {
    for (const uid of this.#waiting.keys()) if (!this.#busy.has(uid)) return uid;
    return undefined;
  }

  async #runLane(): Promise<void> {
    for (let uid = this.#next(); uid !== undefined; uid = this.#next()) {
      const work = this.#waiting.get(uid);
      this.#waiting.delete(uid);
      if (work === undefined) continue;
      this.#busy.add(uid);
      try {
        await this.#say(uid, work, work.statement);
      } catch (error) {
        // It is said again with the next try.
        if (!isNotFound(error))
          this.#options.logger.warn("The status of a pod could not be written", { error });
      } finally {
        this.#busy.delete(uid);
      }
    }
  }

  /** When the cache did not show the pod as it is, once more, to the pod that the server has. */
  async #say(uid: string, key: PodKey, statement: PodStatement): Promise<void> {
    const { client, pods } = this.#options;
    try {
      await this.#send(uid, pods.get(key), statement);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await this.#send(uid, await ifFound(client.of(Pod).get(key)), statement);
    }
  }

  async #send(
    uid: string,
    pod: DeepReadonly<Pod> | undefined,
    { unscheduled, nominatedNode }: PodStatement,
  ): Promise<void> {
    const { client, clock } = this.#options;
    if (pod?.metadata.uid !== uid || (pod.spec.nodeName ?? "") !== "") return;
    const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    const status: Record<string, unknown> = {};
    if (unscheduled !== undefined) {
      const observedGeneration = pod.metadata.generation;
      const condition = { type: "PodScheduled", status: "False", ...unscheduled, observedGeneration };
      const isSaid = before !== undefined && deepEqual({ ...before, ...condition }, before);
      const isSince = before?.status === "False" ? before.lastTransitionTime : undefined;
      const lastTransitionTime = isSince ?? formatTime(clock.now());
      if (!isSaid) status["conditions"] = [{ ...condition, lastTransitionTime }];
    }
    if (nominatedNode !== undefined && nominatedNode !== (pod.status?.nominatedNodeName ?? "")) {
      status["nominatedNodeName"] = nominatedNode === "" ? null : nominatedNode;
    }
    if (Object.keys(status).length === 0) return;
    const { namespace, name, resourceVersion } = pod.metadata;
    // Only to the pod as it was seen: what comes late must not promise a node to one that has been bound meanwhile, by
    // whoever schedules after we were killed, because nobody would take the promise back.
    const metadata = { uid, resourceVersion };
    await client.of(Pod).status.patch({ namespace, name }, { strategic: { metadata, status } });
  }
}

interface PodKey {
  readonly namespace: string;
  readonly name: string;
}
