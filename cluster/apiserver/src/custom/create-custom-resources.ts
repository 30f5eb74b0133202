import { silentLogger, type Clock, type Logger, type TypeSchema } from "@kedge/machinery";
import type { Objects, Resource } from "../registry/types.ts";
import { definitionOf } from "./definition/definition.ts";
import { DefinitionFinalizer } from "./definition-finalizer.ts";
import { DefinitionStatusWriter } from "./definition-status-writer.ts";
import { NameQueue } from "./name-queue.ts";
import { ServedDefinitions } from "./served-definitions.ts";
import type { ConversionClient } from "./serving/webhook-converter.ts";

/** What custom resources are served with. */
export interface CustomResourcesOptions {
  readonly objects: Objects;
  /** `definitionResource(…)`, as the registry serves it. */
  readonly definitions: Resource;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  /** Calls webhooks that convert. Default: nobody does, and only apiVersion changes. */
  readonly conversion?: ConversionClient | undefined;
}

/** Custom resources, served as long as their definitions are there. */
export interface CustomResources {
  /** Resolves when nothing is left to do; what comes later starts anew. */
  idle(): Promise<void>;
  stop(): void;
}

/**
 * Watches definitions: gives them their names, serves what they define, then says that they are established; removes
 * all their objects before they go. What was established before is served when this returns.
 */
export function createCustomResources(options: CustomResourcesOptions): CustomResources {
  const { objects, definitions, clock } = options;
  const logger = options.logger ?? silentLogger;
  const queue = new NameQueue({ reconcile, clock, logger });
  const served = new ServedDefinitions(objects.registry, {
    objectMeta: objectMetaOf(definitions),
    client: options.conversion,
  });
  const status = new DefinitionStatusWriter({ objects, definitions, clock });
  const finalizer = new DefinitionFinalizer({ objects, status, served, changed: (name) => queue.add(name) });

  async function reconcile(name: string): Promise<void> {
    const object = objects.get(definitions, { name });
    if (object === undefined) {
      finalizer.forget(name);
      served.remove(name);
      // Others of the group may get the names that it had.
      addGroup(groupOf(name));
      return;
    }
    served.update(definitionOf(object));
    if (object.metadata.deletionTimestamp !== undefined) {
      await finalizer.finalize(definitionOf(object));
      return;
    }
    await status.writeApproval(name);
    if (await status.writeNames(name)) addGroup(groupOf(name));
    const named = objects.get(definitions, { name });
    // First served, then established: who waits for the condition finds the resource.
    if (named !== undefined && served.update(definitionOf(named))) await status.writeEstablished(name);
  }

  function addGroup(group: string): void {
    for (const { metadata } of objects.list(definitions)) {
      if (groupOf(metadata.name ?? "") === group) queue.add(metadata.name ?? "");
    }
  }

  for (const object of objects.list(definitions)) {
    try {
      served.update(definitionOf(object));
    } catch {
      // One that cannot be served, written by another version perhaps, must not keep the server from starting. The queue
      // fails at it again, and says why.
    }
    queue.add(object.metadata.name ?? "");
  }
  const unsubscribe = objects.onChange(definitions, ({ object }) => queue.add(object.metadata.name ?? ""));
  return {
    idle: () => queue.idle(),
    stop: () => {
      unsubscribe();
      queue.stop();
      finalizer.stop();
    },
  };
}

/** Metadata of custom objects is of the same type as that of their definitions. */
function objectMetaOf({ schema }: Resource): TypeSchema {
  const type = schema.map?.field("metadata")?.type;
  if (type === undefined) throw new Error("the schema of CustomResourceDefinition has no metadata");
  return type;
}

/** Definitions are named `<plural>.<group>`. */
function groupOf(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}
