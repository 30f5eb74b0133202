import type { Container, PodSpec, ResourceRequirements } from "@kedge/machinery/kinds/core/v1";
import { systemKeys } from "../credentials/content.ts";
import { configVolume, dataVolume, namesOf, paths, redisPort } from "../names.ts";
import { configCopyName } from "./config-map.ts";
import type { InstanceKey } from "./instance-key.ts";
import { livenessScript, preStopScript, readinessScript } from "./probe-scripts.ts";
import { renderScript } from "./render-script.ts";
import { startScript } from "./start-script.ts";

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
    containers: [redisContainer(options)],
    // Long enough for a server that writes its data down before it ends.
    terminationGracePeriodSeconds: 60,
    // Redis has no business with the API server, and no use for variables named after other Services.
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: podSecurity,
    volumes: [
      { name: configVolume, configMap: { name: configCopyName(key.name, options.configHash) } },
      { name: "redis-runtime", emptyDir: { medium: "Memory" } },
      // What servers know users by, and what the pod itself logs in with. The keys of it are the operator's alone.
      {
        name: "redis-system",
        secret: {
          secretName: namesOf(key.name).systemSecret,
          defaultMode: 0o440,
          items: podSecrets.map((item) => ({ key: item, path: item })),
        },
      },
      { name: "redis-state", emptyDir: { medium: "Memory" } },
      // Not optional: a server that cannot know whether there may be data must not begin without any.
      { name: "redis-peers", configMap: { name: namesOf(key.name).peers } },
    ],
  };
}

const podSecrets: readonly string[] = [
  systemKeys.users,
  systemKeys.probe,
  systemKeys.replication,
  systemKeys.start,
  systemKeys.cli,
];

/** The variable that says whether the server asks for a password. */
export const authVariableName = "AUTH_ENABLED";

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
  const { headlessService } = namesOf(key.name);
  return {
    name: "render-config",
    image: options.image,
    command: ["sh", "-c", renderScript],
    env: [
      { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
      { name: "PEER_DOMAIN", value: `${headlessService}.${key.namespace}.svc` },
      { name: "CONFIG", value: options.configHash.slice(0, 10) },
      { name: authVariableName, value: String(options.authEnabled) },
    ],
    // The same as the server's: with limits of its own the pod would not be of the QoS class that was asked for.
    ...(options.resources !== undefined && { resources: options.resources }),
    terminationMessagePolicy: "FallbackToLogsOnError",
    securityContext: containerSecurity,
    volumeMounts: [{ name: "redis-runtime", mountPath: paths.runtime }],
  };
}

function redisContainer(options: PodOptions): Container {
  return {
    name: "redis",
    image: options.image,
    command: ["sh", "-c", startScript],
    ports: [{ name: "redis", containerPort: redisPort, protocol: "TCP" }],
    ...(options.resources !== undefined && { resources: options.resources }),
    readinessProbe: {
      exec: { command: ["sh", "-c", readinessScript] },
      periodSeconds: 5,
      timeoutSeconds: 10,
    },
    livenessProbe: {
      exec: { command: ["sh", "-c", livenessScript] },
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 6,
    },
    lifecycle: { preStop: { exec: { command: ["sh", "-c", preStopScript] } } },
    // What the server said last goes into the pod's status.
    terminationMessagePolicy: "FallbackToLogsOnError",
    securityContext: containerSecurity,
    volumeMounts: [
      { name: dataVolume, mountPath: paths.data },
      { name: configVolume, mountPath: paths.config },
      { name: "redis-runtime", mountPath: paths.runtime, readOnly: true },
      { name: "redis-system", mountPath: paths.system, readOnly: true },
      { name: "redis-state", mountPath: paths.state },
      { name: "redis-peers", mountPath: paths.peers },
    ],
  };
}
