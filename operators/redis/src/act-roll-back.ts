import { ifFound, isControlledBy, isJsonObject } from "@kedge/machinery";
import { ControllerRevision, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Acting } from "./acting.ts";
import type { RollBack } from "./plan/roll-back.ts";

/** Gives the StatefulSet the template of a revision, as its controller has kept it. */
export async function rollBack(
  { name, uid, revision, annotations }: RollBack,
  { context: { client, signal }, instance }: Acting,
): Promise<void> {
  const { namespace } = instance.metadata;
  const kept = await ifFound(client.of(ControllerRevision).get({ namespace, name: revision }, { signal }));
  const set = await ifFound(client.of(StatefulSet).get({ namespace, name }, { signal }));
  if (kept === undefined || set?.metadata.uid !== uid || !isControlledBy(kept, set)) return;
  const spec = kept.data?.["spec"];
  const template = isJsonObject(spec) ? spec["template"] : undefined;
  if (!isJsonObject(template)) return;
  const { $patch: _patch, ...whole } = template;
  const json = [
    { op: "test", path: "/metadata/resourceVersion", value: set.metadata.resourceVersion },
    { op: "replace", path: "/spec/template", value: whole },
    { op: "add", path: "/metadata/annotations", value: { ...set.metadata.annotations, ...annotations } },
  ] as const;
  await client.of(StatefulSet).patch({ namespace, name }, { json }, { signal });
}
