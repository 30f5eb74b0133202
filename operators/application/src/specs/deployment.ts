import type { ApplyObject } from "@kedge/client";
import type { DeepReadonly } from "@kedge/machinery";
import type { Deployment } from "@kedge/machinery/kinds/apps/v1";
import type { Application } from "../kind.ts";
import { labelsOf, replicasByAnnotation, type ReplicasBy } from "../names.ts";
import { podSpecOf } from "./pod-spec.ts";

/** How many pods, and who says so. */
export interface ReplicasPlan {
  readonly by: ReplicasBy;
  /** Undefined: the field is not ours. */
  readonly count: number | undefined;
}

/** The Deployment whose pods are the application. */
export function deploymentOf(
  { metadata, spec }: Pick<DeepReadonly<Application>, "metadata" | "spec">,
  replicas: ReplicasPlan,
): ApplyObject<Deployment> {
  const { namespace, name } = metadata;
  const labels = labelsOf(name);
  return {
    metadata: { namespace, name, labels, annotations: { [replicasByAnnotation]: replicas.by } },
    spec: {
      ...(replicas.count !== undefined && { replicas: replicas.count }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpecOf(name, spec) },
    },
  };
}
