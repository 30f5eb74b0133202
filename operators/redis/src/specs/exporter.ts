import type { ApplyObject } from "@kedge/client";
import type { DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Container, ResourceRequirements, Toleration } from "@kedge/machinery/kinds/core/v1";
import { systemKeys } from "../credentials/content.ts";
import {
  exporterLabelsOf,
  exporterPasswordAnnotation,
  exporterPort,
  hostOf,
  labelsOf,
  namesOf,
  partLabel,
  redisPort,
} from "../names.ts";
import { exporterUser } from "../users.ts";
import type { InstanceKey } from "./instance-key.ts";

/** What exporters are made of. */
export interface ExporterOptions {
  readonly image: string;
  readonly resources: ResourceRequirements | undefined;
  /** How many servers there are to tell of. */
  readonly servers: number;
  /** Says which password they start with, without telling it. */
  readonly password: string;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly DeepReadonly<Toleration>[] | undefined;
}

/**
 * The exporters that tell Prometheus of the servers: one for each, by its ordinal, as a user that can do nothing else. In
 * pods of their own, because a pod is ready only when all of its containers are (those that Kubernetes calls sidecars, too):
 * beside a server, an exporter that crashes would take it out of its Services, hold rolls up and use up the disruption
 * budget. Publishing servers that are not ready would instead send clients to those that load, or are held. And so nothing
 * of a server is replaced when exporters come, go, or get another image or password.
 */
export function exportersOf(
  key: InstanceKey,
  { image, resources, servers, password, nodeSelector, tolerations }: ExporterOptions,
): DeepReadonly<ApplyObject<StatefulSet>> {
  const { namespace, name } = key;
  const { metrics } = namesOf(name);
  const labels = exporterLabelsOf(name);
  return {
    metadata: { namespace, name: metrics, labels: { ...labelsOf(name), [partLabel]: "metrics" } },
    spec: {
      replicas: servers,
      serviceName: metrics,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { [exporterPasswordAnnotation]: password } },
        spec: {
          containers: [container(key, { image, resources })],
          terminationGracePeriodSeconds: 5,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: exporterUserId,
            runAsGroup: exporterUserId,
            seccompProfile: { type: "RuntimeDefault" },
          },
          ...(nodeSelector !== undefined && { nodeSelector }),
          ...(tolerations !== undefined && { tolerations }),
        },
      },
    },
  };
}

/** Nobody in particular: it has no files. */
const exporterUserId = 999;

function container(
  key: InstanceKey,
  { image, resources }: Pick<ExporterOptions, "image" | "resources">,
): Container {
  const secret = { name: namesOf(key.name).systemSecret, key: systemKeys.exporter };
  const index = { apiVersion: "v1", fieldPath: "metadata.labels['apps.kubernetes.io/pod-index']" };
  return {
    name: "exporter",
    image,
    env: [
      { name: "POD_INDEX", valueFrom: { fieldRef: index } },
      { name: "REDIS_ADDR", value: `redis://${hostOf(key, `${key.name}-$(POD_INDEX)`)}:${redisPort}` },
      { name: "REDIS_USER", value: exporterUser },
      { name: "REDIS_PASSWORD", valueFrom: { secretKeyRef: secret } },
      { name: "REDIS_EXPORTER_WEB_LISTEN_ADDRESS", value: `:${exporterPort}` },
      // None: CONFIG GET would tell passwords, and its user may not.
      { name: "REDIS_EXPORTER_CONFIG_COMMAND", value: "-" },
    ],
    ports: [{ name: "metrics", containerPort: exporterPort, protocol: "TCP" }],
    ...(resources !== undefined && { resources }),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}
