import { clone, type DeepReadonly } from "@kedge/machinery";
import type { Container, PodSpec } from "@kedge/machinery/kinds/core/v1";
import { canonicalResources } from "@kedge/schema";
import type { Application } from "../kind.ts";
import { claimNameOf } from "../names.ts";

type Spec = DeepReadonly<Application>["spec"];

/** The pods of an application. */
export function podSpecOf(application: string, spec: Spec): PodSpec {
  const { serviceAccount, securityContext, imagePullSecrets } = spec.security ?? {};
  const claims = spec.storage?.persistentVolumeClaims ?? [];
  return {
    containers: [containerOf(application, spec)],
    ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }),
    ...(securityContext !== undefined && { securityContext: clone(securityContext) }),
    ...(imagePullSecrets !== undefined && { imagePullSecrets: clone(imagePullSecrets) }),
    ...(claims.length > 0 && {
      volumes: claims.map(({ name }) => ({
        name,
        persistentVolumeClaim: { claimName: claimNameOf(application, name) },
      })),
    }),
  };
}

/** Called like the application, so that `kubectl logs` and `exec` need not be told which. */
function containerOf(application: string, spec: Spec): Container {
  const { image, port, environment = [], resources, healthCheck = {} } = spec;
  const claims = spec.storage?.persistentVolumeClaims ?? [];
  return {
    name: application,
    image,
    ...(port !== undefined && { ports: [{ name: portName, containerPort: port, protocol: "TCP" }] }),
    ...(environment.length > 0 && { env: clone(environment) }),
    ...(resources !== undefined && { resources: canonicalResources(resources) }),
    ...clone(healthCheck),
    ...(claims.length > 0 && {
      volumeMounts: claims.map(({ name, mountPath }) => ({ name, mountPath: mountPath ?? `/data/${name}` })),
    }),
  };
}

/** What the port is called in pods and in the Service. */
export const portName = "http";
