import { setCondition, type Condition } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import type { ApiObject, WriteContext } from "../../registry/types.ts";
import { cleanupFinalizer, definitionOf, holds } from "./definition.ts";
import { conditionsOf } from "./conditions.ts";

/** The first DELETE of a definition marks it: its objects go first. In place. */
export function prepareDefinitionForDelete(object: ApiObject, context: WriteContext): void {
  const definition = definitionOf(object);
  if (holds(definition, "Terminating")) return;
  const { metadata } = object;
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(cleanupFinalizer)) metadata.finalizers = [...finalizers, cleanupFinalizer];
  // Definitions are marked without the traces that other deletions leave.
  delete metadata.deletionGracePeriodSeconds;
  const generation = storedGeneration(metadata.name ?? "", context);
  if (generation !== undefined) metadata.generation = generation;
  object["status"] = { ...definition.status, conditions: terminating(conditionsOf(definition), context) };
}

function terminating(conditions: readonly Condition[], { clock }: WriteContext): readonly Condition[] {
  return setCondition(
    conditions,
    {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    },
    clock,
  );
}

function storedGeneration(name: string, { objects }: WriteContext): number | undefined {
  const { group, version, plural } = CustomResourceDefinition;
  const resource = objects.registry.resource(group, version, plural);
  return resource === undefined ? undefined : objects.get(resource, { name })?.metadata.generation;
}
