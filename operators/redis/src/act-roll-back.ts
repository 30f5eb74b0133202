import {
  conflict,
  controllerOf,
  ifFound,
  isControlledBy,
  isJsonObject,
  type DeepReadonly,
  type JsonObject,
} from "@kedge/machinery";
import { ControllerRevision, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { ReconcileContext } from "@kedge/runtime";
import { RedisInstance } from "./kind.ts";
import type { RollBack } from "./plan/roll-back.ts";

/**
 * Gives the StatefulSet the template of a revision, as its controller has kept it. It is applied, as all else of the
 * StatefulSet is: fields that were patched in would be somebody else's, and no later apply could take them out again.
 * When the revision is gone there is nothing to give back: that is written down, for the status to tell.
 */
export async function rollBack(
  { statefulSet, revision, otherwise }: RollBack,
  context: Pick<ReconcileContext<RedisInstance>, "client" | "signal" | "apply">,
  instance: DeepReadonly<RedisInstance>,
): Promise<void> {
  const { client, signal } = context;
  const { namespace } = instance.metadata;
  const { name } = statefulSet.metadata;
  const kept = await ifFound(client.of(ControllerRevision).get({ namespace, name: revision }, { signal }));
  const set = await ifFound(client.of(StatefulSet).get({ namespace, name }, { signal }));
  if (set === undefined) return;
  // One that was made again takes its revisions over in a moment.
  if (kept !== undefined && controllerOf(kept) === undefined)
    throw conflict(RedisInstance, instance.metadata.name, `nobody controls the revision ${revision} yet`);
  const template = kept !== undefined && isControlledBy(kept, set) ? templateIn(kept) : undefined;
  const object =
    template === undefined ? otherwise : { ...statefulSet, spec: { ...statefulSet.spec, template } };
  await context.apply(StatefulSet, object, { owner: instance });
}

function templateIn({ data }: ControllerRevision): JsonObject | undefined {
  const spec = data?.["spec"];
  const template = isJsonObject(spec) ? spec["template"] : undefined;
  if (!isJsonObject(template)) return undefined;
  const { $patch: _patch, ...whole } = template;
  return whole;
}
