import type { Container, EnvVar, PodSpec, ResourceRequirements } from "@kedge/machinery/kinds/core/v1";
import { configVolume, dataVolume, namesOf, passwordKey, paths, redisPort } from "../names.ts";
import { configCopyName } from "./config-map.ts";
import type { InstanceKey } from "./instance-key.ts";
import { renderScript } from "./render-script.ts";

/** What a pod is made of. */
export interface PodOptions {
  readonly image: string;
  readonly resources: ResourceRequirements | undefined;
  readonly authEnabled: boolean;
  /** Which redis.conf. */
  readonly configHash: string;
}

/** The pods: an init container that renders what differs from pod to pod, then the server. */
export function podSpecOf(key: InstanceKey, options: PodOptions): PodSpec {
  return {
    initContainers: [renderContainer(key, options)],
    containers: [redisContainer(key, options)],
    // Long enough for a server that writes its data down before it ends.
    terminationGracePeriodSeconds: 60,
    // Redis has no business with the API server, and no use for variables named after other Services.
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: podSecurity,
    volumes: [
      { name: configVolume, configMap: { name: configCopyName(key.name, options.configHash) } },
      // In memory: the password is never on a disk.
      { name: "redis-runtime", emptyDir: { medium: "Memory" } },
    ],
  };
}

/** The user `redis` of the official images; others need no user of that number. Volumes are made theirs. */
const redisUser = 999;

const podSecurity = {
  runAsNonRoot: true,
  runAsUser: redisUser,
  runAsGroup: redisUser,
  fsGroup: redisUser,
  fsGroupChangePolicy: "OnRootMismatch",
  seccompProfile: { type: "RuntimeDefault" },
};

const containerSecurity = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

function renderContainer(key: InstanceKey, options: PodOptions): Container {
  const { headlessService, primaryPod } = namesOf(key.name);
  return {
    name: "render-config",
    image: options.image,
    command: ["sh", "-c", renderScript],
    env: [
      { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
      { name: "PRIMARY_HOST", value: `${primaryPod}.${headlessService}.${key.namespace}.svc` },
      ...(options.authEnabled ? [passwordVariable("REDIS_PASSWORD", key)] : []),
    ],
    // The same as the server's: with limits of its own the pod would not be of the QoS class that was asked for.
    ...(options.resources !== undefined && { resources: options.resources }),
    securityContext: containerSecurity,
    volumeMounts: [{ name: "redis-runtime", mountPath: paths.runtime }],
  };
}

function redisContainer(key: InstanceKey, options: PodOptions): Container {
  return {
    name: "redis",
    image: options.image,
    command: ["redis-server", `${paths.config}/redis.conf`],
    ports: [{ name: "redis", containerPort: redisPort, protocol: "TCP" }],
    // The second is what redis-cli looks for, in probes and for whoever runs it by hand.
    ...(options.authEnabled && {
      env: [passwordVariable("REDIS_PASSWORD", key), passwordVariable("REDISCLI_AUTH", key)],
    }),
    ...(options.resources !== undefined && { resources: options.resources }),
    // Ready means that it answers PONG: not while it still loads its data.
    readinessProbe: {
      exec: { command: ["sh", "-c", '[ "$(redis-cli ping)" = PONG ]'] },
      periodSeconds: 5,
      timeoutSeconds: 3,
    },
    // Alive is what answers anything: a server that loads or runs a long script must not be killed for it.
    livenessProbe: {
      exec: { command: ["redis-cli", "ping"] },
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 6,
    },
    securityContext: containerSecurity,
    volumeMounts: [
      { name: dataVolume, mountPath: paths.data },
      { name: configVolume, mountPath: paths.config },
      { name: "redis-runtime", mountPath: paths.runtime, readOnly: true },
    ],
  };
}

function passwordVariable(name: string, key: InstanceKey): EnvVar {
  const secret = namesOf(key.name).authSecret;
  return { name, valueFrom: { secretKeyRef: { name: secret, key: passwordKey } } };
}
