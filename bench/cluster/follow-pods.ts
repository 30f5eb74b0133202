import type { Client } from "@kedge/client";
import { Pod } from "@kedge/machinery/kinds/core/v1";

/** How many pods there are, and how many of them are ready. */
export interface PodCount {
  readonly all: number;
  readonly ready: number;
}

/** The pods of a namespace, counted by one watch. */
export class FollowedPods implements Disposable {
  /** Resolves when all that exist are known. */
  readonly following: Promise<void>;
  readonly #stop = new AbortController();
  readonly #ready = new Map<string, boolean>();
  #readyCount = 0;
  #changed = (): void => undefined;

  constructor(client: Client, namespace: string) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.following = promise;
    this.#follow(client, namespace, resolve).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) reject(error);
    });
  }

  /** Resolves when the numbers are as wanted. */
  async until(isEnough: (count: PodCount) => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#changed = () => {
      if (isEnough({ all: this.#ready.size, ready: this.#readyCount })) resolve();
    };
    this.#changed();
    await promise;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #follow(client: Client, namespace: string, onFirst: () => void): Promise<void> {
    const { signal } = this.#stop;
    for await (const event of client.of(Pod).watch({ namespace, sendInitialEvents: true, signal })) {
      if (event.type === "BOOKMARK") {
        onFirst();
        continue;
      }
      const { uid } = event.object.metadata;
      if (this.#ready.get(uid) === true) this.#readyCount--;
      this.#ready.delete(uid);
      if (event.type !== "DELETED") {
        const isReady =
          event.object.status?.conditions?.some(
            ({ type, status }) => type === "Ready" && status === "True",
          ) ?? false;
        this.#ready.set(uid, isReady);
        if (isReady) this.#readyCount++;
      }
      this.#changed();
    }
  }
}
