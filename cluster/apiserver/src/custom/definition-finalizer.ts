import { isNotFound, keyToString, type ConditionUpdate } from "@kedge/machinery";
import type { Objects, Resource } from "../registry/types.ts";
import type { DefinitionStatusWriter } from "./definition-status-writer.ts";
import { cleanupFinalizer, definitionOf, holds, type Definition } from "./definition/definition.ts";
import type { ServedDefinitions } from "./served-definitions.ts";

/** What the finalizer works with. */
export interface DefinitionFinalizerOptions {
  readonly objects: Objects;
  readonly status: DefinitionStatusWriter;
  readonly served: ServedDefinitions;
  /** Called when a definition should be looked at again. */
  readonly changed: (name: string) => void;
}

/** Removes the objects of definitions that are being deleted, then lets these go. */
export class DefinitionFinalizer {
  readonly #options: DefinitionFinalizerOptions;
  /** Definitions whose objects take their time, and how to stop watching those. */
  readonly #waiting = new Map<string, () => void>();

  constructor(options: DefinitionFinalizerOptions) {
    this.#options = options;
  }

  /** Does what can be done now. When objects stay, the definition is reported as changed once the last of them goes. */
  async finalize(definition: Definition): Promise<void> {
    const name = definition.metadata?.name ?? "";
    if (definition.metadata?.finalizers?.includes(cleanupFinalizer) !== true) return;
    const { status } = this.#options;
    await status.write(name, (object) =>
      holds(definitionOf(object), "Terminating") ? { conditions: [inProgress] } : undefined,
    );
    const established = holds(definition, "Established");
    if (established && !(await this.#removeAll(definition))) return;
    this.forget(name);
    await status.write(name, () => ({
      conditions: [established ? completed : neverEstablished],
      removeFinalizer: cleanupFinalizer,
    }));
  }

  /** Stops waiting for the objects of a definition. */
  forget(name: string): void {
    this.#waiting.get(name)?.();
    this.#waiting.delete(name);
  }

  stop(): void {
    for (const name of this.#waiting.keys()) this.forget(name);
  }

  /** Whether all objects are gone. */
  async #removeAll(definition: Definition): Promise<boolean> {
    const { objects, served, changed } = this.#options;
    const name = definition.metadata?.name ?? "";
    const resource = served.storedResource(definition);
    if (resource === undefined) return true;
    if (!this.#waiting.has(name)) {
      const unsubscribe = objects.onChange(resource, (change) => {
        if (change.type === "removed" && objects.list(resource).length === 0) changed(name);
      });
      this.#waiting.set(name, unsubscribe);
    }
    for (const { metadata } of objects.list(resource)) {
      if (metadata.deletionTimestamp !== undefined) continue;
      await this.#remove(resource, metadata);
    }
    return objects.list(resource).length === 0;
  }

  async #remove(
    resource: Resource,
    { namespace, name = "" }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  ): Promise<void> {
    const key = namespace === undefined || namespace === "" ? { name } : { namespace, name };
    try {
      await this.#options.objects.delete(resource, key);
    } catch (error) {
      if (isNotFound(error)) return;
      throw new Error(`${resource.plural} ${keyToString(key)} could not be deleted`, { cause: error });
    }
  }
}

const inProgress: ConditionUpdate = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionInProgress",
  message: "CustomResource deletion is in progress",
};

const completed: ConditionUpdate = {
  type: "Terminating",
  status: "False",
  reason: "InstanceDeletionCompleted",
  message: "removed all instances",
};

const neverEstablished: ConditionUpdate = {
  type: "Terminating",
  status: "False",
  reason: "NeverEstablished",
  message: "resource was never established",
};
