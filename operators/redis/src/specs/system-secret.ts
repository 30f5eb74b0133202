import { controllerReference, type DeepReadonly, type Draft } from "@kedge/machinery";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import { contentData, type SystemContent } from "../credentials/content.ts";
import type { RedisInstance } from "../kind.ts";
import { labelsOf, namesOf } from "../names.ts";

/** The Secret that operator, replicas, probes and people with `kubectl exec` log in with, and servers have users from. */
export function systemSecretOf(owner: DeepReadonly<RedisInstance>, content: SystemContent): Draft<Secret> {
  const { namespace, name } = owner.metadata;
  return {
    metadata: {
      namespace,
      name: namesOf(name).systemSecret,
      labels: labelsOf(name),
      ownerReferences: [controllerReference(owner)],
    },
    type: "Opaque",
    data: { ...contentData(content) },
  };
}
