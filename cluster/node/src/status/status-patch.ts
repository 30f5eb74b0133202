import {
  createStrategicPatch,
  deepEqual,
  isJsonList,
  isJsonObject,
  setOwn,
  type JsonObject,
  type TypeSchema,
} from "@kedge/machinery";
import { builtinTable, tableSchemas } from "@kedge/machinery/schema-table";
import type { PodStatus } from "@kedge/machinery/kinds/core/v1";
import type { ApiPod, OldPodStatus } from "../model/types.ts";

/** Fields of a pod's status that the node does not write: they stay as they are. */
const foreign = ["nominatedNodeName", "resize", "resourceClaimStatuses"] as const;

/** The schema that says how lists in a pod are merged. Keep it: reading it takes milliseconds. */
export function podSchema(): TypeSchema {
  const schema = tableSchemas(builtinTable())("io.k8s.api.core.v1.Pod");
  if (schema === undefined) throw new Error("the table of built-in types has no Pod");
  return schema;
}

/** The strategic merge patch that brings a pod's status to what it should be; undefined when it is that already. */
export function statusPatch(
  pod: ApiPod,
  status: PodStatus,
  context: { readonly schema: TypeSchema; readonly old: OldPodStatus | undefined },
): object | undefined {
  const old = context.old ?? {};
  const kept = Object.fromEntries(foreign.filter((name) => name in old).map((name) => [name, old[name]]));
  const before = plain(old);
  const after = plain({ ...kept, ...status });
  // Most looks at a pod find nothing new, and a patch is made field by field of the schema.
  if (deepEqual(before, after)) return undefined;
  const patch = createStrategicPatch({ status: before }, { status: after }, context.schema);
  if (Object.keys(patch).length === 0) return undefined;
  // The uid makes the server refuse the patch when another pod has the name by now.
  return { metadata: { uid: pod.metadata.uid }, ...patch };
}

/** Without what is undefined or null: on the wire both are the same as absent. */
function plain(value: object): JsonObject {
  const kept: JsonObject = {};
  for (const [key, member] of Object.entries<unknown>({ ...value }))
    if (member !== undefined && member !== null) setOwn(kept, key, plainValue(member));
  return kept;
}

function plainValue(value: unknown): unknown {
  if (isJsonList(value)) return value.map((item) => plainValue(item));
  return isJsonObject(value) ? plain(value) : value;
}
