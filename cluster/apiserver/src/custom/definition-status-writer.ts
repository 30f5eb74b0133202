import { setCondition, type Clock, type ConditionUpdate } from "@kedge/machinery";
import type { ApiObject, Objects, Resource } from "../registry/types.ts";
import { acceptNames } from "./definition/accepted-names.ts";
import { approvalCondition, approvalOf } from "./definition/api-approval.ts";
import { conditionsOf } from "./definition/conditions.ts";
import { definitionOf, holds, type DefinitionStatus } from "./definition/definition.ts";

/** What the writer works with. */
export interface DefinitionStatusWriterOptions {
  readonly objects: Objects;
  readonly definitions: Resource;
  readonly clock: Clock;
}

/** Writes the status of definitions. A write that would change nothing is not made. */
export class DefinitionStatusWriter {
  readonly #options: DefinitionStatusWriterOptions;

  constructor(options: DefinitionStatusWriterOptions) {
    this.#options = options;
  }

  /** Groups of Kubernetes itself are told whether they are approved. */
  async writeApproval(name: string): Promise<void> {
    await this.write(name, (object) => {
      const approval = approvalOf(definitionOf(object));
      return approval === undefined ? undefined : { conditions: [approvalCondition(approval)] };
    });
  }

  /** Accepts the names that are free. Says whether anything changed. */
  async writeNames(name: string): Promise<boolean> {
    const { objects, definitions } = this.#options;
    return await this.write(name, (object) => {
      const all = objects.list(definitions).map(definitionOf);
      const naming = acceptNames(definitionOf(object), all);
      if (naming === undefined) return undefined;
      const { acceptedNames, namesAccepted, established } = naming;
      const conditions = established === undefined ? [namesAccepted] : [namesAccepted, established];
      return { conditions, fields: { acceptedNames } };
    });
  }

  /** Says that what is defined is served. */
  async writeEstablished(name: string): Promise<void> {
    await this.write(name, (object) => {
      const definition = definitionOf(object);
      if (!holds(definition, "NamesAccepted") || holds(definition, "Established")) return undefined;
      return {
        conditions: [
          {
            type: "Established",
            status: "True",
            reason: "InitialNamesAccepted",
            message: "the initial names have been accepted",
          },
        ],
      };
    });
  }

  /** Writes conditions and fields of the status, and perhaps metadata with them. Says whether anything was different. */
  async write(name: string, decide: (object: ApiObject) => StatusChange | undefined): Promise<boolean> {
    const { objects, definitions, clock } = this.#options;
    const stored = objects.get(definitions, { name });
    if (stored === undefined) return false;
    let written = false;
    await objects.update(
      definitions,
      { name },
      (object) => {
        const change = decide(object);
        written = change !== undefined && apply(object, change, clock);
        return written;
      },
      { subresource: "status" },
    );
    return written;
  }
}

/** What is to be different. */
export interface StatusChange {
  readonly conditions: readonly ConditionUpdate[];
  readonly fields?: Partial<DefinitionStatus> | undefined;
  /** A finalizer that goes with it. */
  readonly removeFinalizer?: string | undefined;
}

function apply(
  object: ApiObject,
  { conditions, fields, removeFinalizer }: StatusChange,
  clock: Clock,
): boolean {
  const definition = definitionOf(object);
  const before = conditionsOf(definition);
  let after = before;
  for (const condition of conditions) after = setCondition(after, condition, clock);
  const status = { ...definition.status, ...fields, conditions: after };
  const { finalizers } = object.metadata;
  const removes = removeFinalizer !== undefined && finalizers?.includes(removeFinalizer) === true;
  const differs =
    removes ||
    after !== before ||
    JSON.stringify(fields ?? {}) !== JSON.stringify(pick(definition.status, fields));
  if (!differs) return false;
  object["status"] = status;
  if (removes) object.metadata.finalizers = finalizers.filter((finalizer) => finalizer !== removeFinalizer);
  return true;
}

function pick(status: DefinitionStatus | undefined, fields: Partial<DefinitionStatus> | undefined): unknown {
  const known: Readonly<Record<string, unknown>> = { ...status };
  return Object.fromEntries(Object.keys(fields ?? {}).map((name) => [name, known[name]]));
}
