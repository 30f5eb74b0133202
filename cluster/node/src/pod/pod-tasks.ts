import { inBackground } from "@kedge/machinery";
import type { Stopping } from "./stop-container.ts";

/** Work on a container that goes on while the pod is looked at: at most one for each container. */
export type ContainerTask =
  | { readonly type: "starting"; readonly cancel: AbortController }
  | { readonly type: "stopping"; readonly stopping: Stopping };

/** The tasks of a pod's containers, by container name. */
export class PodTasks {
  readonly #tasks = new Map<string, ContainerTask>();
  readonly #onEnd: () => void;

  /** `onEnd` is called when a task has ended, well or not. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  get(name: string): ContainerTask | undefined {
    return this.#tasks.get(name);
  }

  /** Follows a task to its end; `onError` is told when it fails. */
  follow(name: string, task: ContainerTask, done: Promise<void>, onError: (error: unknown) => void): void {
    this.#tasks.set(name, task);
    const run = async (): Promise<void> => {
      try {
        await done;
      } catch (error) {
        onError(error);
      } finally {
        this.#tasks.delete(name);
        this.#onEnd();
      }
    };
    inBackground(run(), onError);
  }

  busy(): ReadonlyMap<string, "starting" | "stopping"> {
    return new Map([...this.#tasks].map(([name, { type }]) => [name, type]));
  }
}
