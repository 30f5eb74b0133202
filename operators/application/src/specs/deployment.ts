import type { ApplyObject } from "@kedge/client";
import type { DeepReadonly } from "@kedge/machinery";
import type { Deployment } from "@kedge/machinery/kinds/apps/v1";
import type { Application } from "../kind.ts";
import { labelsOf, replicasBegunAnnotation, replicasByAnnotation, type ReplicasBy } from "../names.ts";
import { podSpecOf } from "./pod-spec.ts";

/** How many pods, and who says so. */
export interface ReplicasPlan {
  readonly by: ReplicasBy;
  /** Undefined: the field is not ours. */
  readonly count: number | undefined;
  /** With scaling: the spec's number that it began with. */
  readonly begun?: number;
}

/** The Deployment whose pods are the application. */
export function deploymentOf(
  { metadata, spec }: Pick<DeepReadonly<Application>, "metadata" | "spec">,
  replicas: ReplicasPlan,
): ApplyObject<Deployment> {
  const { namespace, name } = metadata;
  const labels = labelsOf(name);
  const annotations = {
    [replicasByAnnotation]: replicas.by,
    ...(replicas.begun !== undefined && { [replicasBegunAnnotation]: String(replicas.begun) }),
  };
  return {
    metadata: { namespace, name, labels, annotations },
    spec: {
      ...(replicas.count !== undefined && { replicas: replicas.count }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpecOf(name, spec) },
    },
  };
}
