/** Keeps an instance until its clean-up is done. */
export const finalizer = "redis.github.com/finalizer";

/** On pods: the hash of the redis.conf that they were started with. */
export const configHashAnnotation = "redis.github.com/config-hash";

/** On pods: which settings beyond its config the server of a process has. */
export const configSetAnnotation = "redis.github.com/config-set";

/**
 * On the StatefulSet: which template it was given; with which one a pod was ready, and with which one all of them; and
 * which one failed, and why.
 */
export const templateAnnotation = "redis.github.com/template";
export const provenTemplateAnnotation = "redis.github.com/proven-template";
export const goodTemplateAnnotation = "redis.github.com/good-template";
export const rolledBackAnnotation = "redis.github.com/rolled-back";

/** On the StatefulSet: which pod has an error that may pass by itself, and since when. */
export const failingSinceAnnotation = "redis.github.com/failing-since";

/** On claims: the image of the server that has written the data. */
export const imageAnnotation = "redis.github.com/written-by-image";

/** On claims: the image of a server that was started on them, did not come to work, and may have written meanwhile. */
export const touchedAnnotation = "redis.github.com/touched-by-image";

/** On the copies of redis.conf that pods mount. */
export const configCopyLabel = "redis.github.com/config-copy";

/** The key of redis.conf in its ConfigMaps. */
export const configKey = "redis.conf";

/** The volume with redis.conf. */
export const configVolume = "redis-config";

/** The label with the instance's name, on all that belongs to it. */
export const instanceLabel = "redis.github.com/instance";

/** What all pods of all instances have in common. */
export const appLabel = { app: "redis" } as const;

/** On an instance, and from there on its pods: when somebody asked for a restart. Another value replaces the pods. */
export const restartAnnotation = "redis.github.com/restarted-at";

/** On the pods of exporters, which are not counted among those of the servers. */
export function exporterLabelsOf(instance: string): Record<string, string> {
  return { app: "redis-exporter", "redis.github.com/exporter-of": instance };
}

/** On the pods of exporters: which password they were started with. Another one replaces them. */
export const exporterPasswordAnnotation = "redis.github.com/exporter-password";

/** What the operator's own pods carry where it runs in a cluster: NetworkPolicies let it in by them. */
export const operatorPodLabels = { "app.kubernetes.io/name": "kedge-operator" } as const;

/** The port, everywhere. */
export const redisPort = 6379;

/** Where the exporter answers. */
export const exporterPort = 9121;

/** On children that come and go with a part of the spec: which. */
export const partLabel = "redis.github.com/part";

/** The key of the password in its Secret. */
export const passwordKey = "password";

/** Keys of our own Secret beside the password in use: the one that follows, and that it was made here. */
export const nextPasswordKey = "next";
export const nextIsOursKey = "next-is-ours";

/** The claim template's name: claims are called `redis-data-<instance>-<ordinal>`. */
export const dataVolume = "redis-data";

/** Where things are in the container. */
export const paths = {
  config: "/usr/local/etc/redis",
  /** What the init container renders: in memory, and read-only to the server. */
  runtime: "/usr/local/etc/redis-runtime",
  runtimeConfig: "/usr/local/etc/redis-runtime/runtime.conf",
  /** Which pod this is, as variables of a shell. */
  pod: "/usr/local/etc/redis-runtime/pod",
  /** A script that runs the image's client as somebody who may do all. */
  client: "/usr/local/etc/redis-runtime/cli",
  /** The same as the users that only look, and that start a server. */
  probeClient: "/usr/local/etc/redis-runtime/probe-cli",
  startClient: "/usr/local/etc/redis-runtime/start-cli",
  /** The Secret of the system, without its keys; changes while the pod runs. */
  system: "/usr/local/etc/redis-system",
  /** The users that every server has. */
  systemUsers: "/usr/local/etc/redis-system/users.acl",
  /** What the operator says about the pod's peers; changes while the pod runs. */
  peers: "/usr/local/etc/redis-peers",
  /** What the server container says to its own probes; in memory. */
  state: "/run/redis",
  /** What the script that starts a server is let in with: as it was when that was written into the users. */
  start: "/run/redis/start",
  /** What a replica follows its primary with: a part of redis.conf that each start writes. */
  replication: "/run/redis/replication.conf",
  data: "/data",
  /** All users of the server, and with them the record of its epoch and role: `users.ts`. */
  users: "/data/users.acl",
  terminationMessage: "/dev/termination-log",
} as const;

/** Whom a server follows that must not serve yet: nobody is there, and it is found out at once. */
export const nobody = { host: "127.0.0.1", port: 1 } as const;

/** On pods, for people and for the Service of the replicas. */
export const roleLabel = "redis.github.com/role";

/** On an instance: the pod that is to become the primary, in order and without loss; `any` for the best one. */
export const switchoverAnnotation = "redis.github.com/switchover";

/** On an instance: the pod that is to become the primary whatever is lost. */
export const promoteAnnotation = "redis.github.com/promote";

/**
 * On an instance of one server: the image that may try to read its volume, although the server of a newer one was started
 * there, did not come to work, and may have written what this one cannot read.
 */
export const acceptRiskAnnotation = "redis.github.com/accept-data-risk";

/** On an instance: whose passwords are to be changed, `client`, `system` or `all`. It goes when that has begun. */
export const rotateAnnotation = "redis.github.com/rotate-password";

/** Labels of all that belongs to an instance; they also select its pods. */
export function labelsOf(instance: string): Record<string, string> {
  return { ...appLabel, [instanceLabel]: instance };
}

/** What the children of an instance are called. */
export function namesOf(instance: string): {
  readonly configMap: string;
  /** What clients read, and users may bring. */
  readonly authSecret: string;
  /** What the servers were given. With a dot, as no instance has: it can be nobody else's child. */
  readonly passwordInUse: string;
  /** What applications bind to. */
  readonly binding: string;
  readonly peers: string;
  /** What the operator, replicas and probes log in with. */
  readonly systemSecret: string;
  readonly replicasService: string;
  /** Of the StatefulSet of exporters, Service, ServiceMonitor and PrometheusRule. */
  readonly metrics: string;
  readonly dashboard: string;
  readonly statefulSet: string;
  readonly service: string;
  readonly headlessService: string;
  /** The primary of a new instance. */
  readonly primaryPod: string;
} {
  return {
    configMap: instance,
    authSecret: `${instance}-auth`,
    passwordInUse: `${instance}.password-in-use`,
    binding: `${instance}-binding`,
    peers: `${instance}.peers`,
    systemSecret: `${instance}.system`,
    replicasService: `${instance}-replicas`,
    metrics: `${instance}-metrics`,
    dashboard: `${instance}-dashboard`,
    statefulSet: instance,
    service: instance,
    headlessService: `${instance}-headless`,
    primaryPod: `${instance}-0`,
  };
}

/** By which name its peers reach a pod, whatever its address. */
export function hostOf(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  pod: string,
): string {
  return `${pod}.${namesOf(name).headlessService}.${namespace}.svc`;
}

/** Which pod of its instance it is. */
export function podOrdinal(pod: string): number {
  return Number(pod.slice(pod.lastIndexOf("-") + 1));
}
