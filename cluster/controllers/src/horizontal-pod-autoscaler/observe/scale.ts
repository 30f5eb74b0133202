import type { Client } from "@kedge/client";
import {
  isConflict,
  parseApiVersion,
  type DeepReadonly,
  type KeyIn,
  type Kind,
  type StoredMeta,
} from "@kedge/machinery";
import type { Scale } from "@kedge/machinery/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { servedKind } from "../../served-kinds.ts";

type Scalable = Kind<unknown, "Namespaced", "scale">;

/** What an autoscaler scales, and its size as the server has it. */
export interface Target {
  readonly kind: Scalable;
  readonly key: KeyIn<"Namespaced">;
  readonly scale: Scale & { metadata: StoredMeta };
}

/** Reads it. Throws, in Kubernetes' words, when there is none. */
export async function readTarget(
  client: Client,
  { metadata, spec }: DeepReadonly<HorizontalPodAutoscaler>,
): Promise<Target> {
  const { apiVersion = "", kind: name } = spec.scaleTargetRef;
  const { group } = parseApiVersion(apiVersion);
  // In the version that the server likes best.
  const served = await servedKind(client, { group, kind: name });
  if (served === undefined)
    throw new Error(`no matches for kind ${JSON.stringify(name)} in group ${JSON.stringify(group)}`);
  const { version, plural } = served;
  const kind: Scalable = { group, version, kind: name, plural, scope: "Namespaced", subresources: ["scale"] };
  const key = { namespace: metadata.namespace, name: spec.scaleTargetRef.name };
  return { kind, key, scale: await client.of(kind).scale.get(key) };
}

const mostAttempts = 5;

/** Gives a target another size, whatever else changed meanwhile. */
export async function writeTarget(
  client: Client,
  { kind, key, scale }: Target,
  replicas: number,
): Promise<void> {
  const scales = client.of(kind).scale;
  let current = scale;
  for (let attempts = 1; ; attempts++) {
    try {
      await scales.replace({ ...current, spec: { ...current.spec, replicas } });
      return;
    } catch (error) {
      if (!isConflict(error) || attempts === mostAttempts) throw error;
      current = await scales.get(key);
    }
  }
}
