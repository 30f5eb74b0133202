import type { Client } from "@kedge/client";
import {
  inBackground,
  keyOf,
  keyToString,
  type Kind,
  type Logger,
  type ObjectKey,
  type StoredObject,
} from "@kedge/machinery";
import { kindName } from "../informer/kind-name.ts";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { Queue } from "../queue/types.ts";

/** More than these are not watched; the back-off finds them, too. */
const most = 100;
/** How long one is watched. After that, the next run that finds the name taken begins again. */
const seconds = 1200;

/** What watching takes. */
export interface TakenNamesOptions {
  readonly client: Client;
  readonly queue: Queue;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Names that a controller wanted for children and found taken by others. An owner reference leads from a child to whom it
 * concerns; from a stranger's object, which no cache of ours need show, nothing does. So it is watched, alone, until it
 * changes or goes: then whoever wanted its name is looked at again.
 */
export class TakenNames {
  readonly #options: TakenNamesOptions;
  readonly #watched = new Set<string>();

  constructor(options: TakenNamesOptions) {
    this.#options = options;
  }

  /** Something of that name is in the way. */
  found(kind: Kind<unknown>, object: StoredView, wantedBy: ObjectKey): void {
    const name = `${kindName(kind)} ${keyToString(keyOf(object))} for ${keyToString(wantedBy)}`;
    if (this.#watched.has(name) || this.#watched.size >= most) return;
    this.#watched.add(name);
    const work = this.#untilItChanges(kind, object, wantedBy).finally(() => this.#watched.delete(name));
    inBackground(work, (error) => {
      if (this.#options.signal.aborted) return;
      this.#options.logger.debug("An object that is in the way cannot be watched", { object: name, error });
    });
  }

  async #untilItChanges(kind: Kind<unknown>, { metadata }: StoredView, wantedBy: ObjectKey): Promise<void> {
    const { client, queue, signal } = this.#options;
    const { namespace, name, resourceVersion } = metadata;
    const events = client.of(promised<Kind<StoredObject>>(kind)).watch({
      namespace,
      fieldSelector: `metadata.name=${name}`,
      resourceVersion,
      timeoutSeconds: seconds,
      signal,
    });
    for await (const { type } of events) {
      if (type === "BOOKMARK") continue;
      queue.add(keyToString(wantedBy), {
        priority: "child-change",
        source: `${kind.kind} ${keyToString({ namespace, name })}`,
        reason: "was in the way",
      });
      return;
    }
  }
}
