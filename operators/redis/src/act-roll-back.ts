import { ifFound, isControlledBy, isJsonObject, type DeepReadonly } from "@kedge/machinery";
import { ControllerRevision, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { ReconcileContext } from "@kedge/runtime";
import type { RedisInstance } from "./kind.ts";
import type { RollBack } from "./plan/roll-back.ts";

/**
 * Gives the StatefulSet the template of a revision, as its controller has kept it. It is applied, as all else of the
 * StatefulSet is: fields that were patched in would be somebody else's, and no later apply could take them out again.
 */
export async function rollBack(
  { statefulSet, revision }: RollBack,
  context: ReconcileContext<RedisInstance>,
  instance: DeepReadonly<RedisInstance>,
): Promise<void> {
  const { client, signal } = context;
  const { namespace } = instance.metadata;
  const { name } = statefulSet.metadata;
  const kept = await ifFound(client.of(ControllerRevision).get({ namespace, name: revision }, { signal }));
  const set = await ifFound(client.of(StatefulSet).get({ namespace, name }, { signal }));
  if (kept === undefined || set === undefined || !isControlledBy(kept, set)) return;
  const spec = kept.data?.["spec"];
  const template = isJsonObject(spec) ? spec["template"] : undefined;
  if (!isJsonObject(template)) return;
  const { $patch: _patch, ...whole } = template;
  await context.apply(
    StatefulSet,
    { ...statefulSet, spec: { ...statefulSet.spec, template: whole } },
    { owner: instance },
  );
}
