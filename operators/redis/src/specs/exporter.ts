import type { Container, ResourceRequirements } from "@kedge/machinery/kinds/core/v1";
import { systemKeys } from "../credentials/content.ts";
import { exporterPort, namesOf, redisPort } from "../names.ts";
import { exporterUser } from "../users.ts";
import type { InstanceKey } from "./instance-key.ts";

/** What an exporter is made of. */
export interface ExporterOptions {
  readonly image: string;
  readonly resources: ResourceRequirements | undefined;
}

/** The container that tells Prometheus of the server beside it, as a user that can do nothing else. */
export function exporterContainer(key: InstanceKey, { image, resources }: ExporterOptions): Container {
  const secret = { name: namesOf(key.name).systemSecret, key: systemKeys.exporter };
  return {
    name: "exporter",
    image,
    env: [
      { name: "REDIS_ADDR", value: `redis://localhost:${redisPort}` },
      { name: "REDIS_USER", value: exporterUser },
      { name: "REDIS_PASSWORD", valueFrom: { secretKeyRef: secret } },
      { name: "REDIS_EXPORTER_WEB_LISTEN_ADDRESS", value: `:${exporterPort}` },
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
