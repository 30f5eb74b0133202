/** Keeps an instance until its clean-up is done. */
export const finalizer = "redis.github.com/finalizer";

/** On pods: the hash of the redis.conf that they were started with. */
export const configHashAnnotation = "redis.github.com/config-hash";

/** On claims: the image of the server that has written the data. */
export const imageAnnotation = "redis.github.com/written-by-image";

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

/** What the operator's own pods carry where it runs in a cluster: NetworkPolicies let it in by them. */
export const operatorPodLabels = { "app.kubernetes.io/name": "kedge-operator" } as const;

/** The port, everywhere. */
export const redisPort = 6379;

/** The key of the password in its Secret. */
export const passwordKey = "password";

/** The claim template's name: claims are called `redis-data-<instance>-<ordinal>`. */
export const dataVolume = "redis-data";

/** Where things are in the container. */
export const paths = {
  config: "/usr/local/etc/redis",
  /** What the init container renders: in memory, and read-only to the server. */
  runtime: "/usr/local/etc/redis-runtime",
  runtimeConfig: "/usr/local/etc/redis-runtime/runtime.conf",
  password: "/usr/local/etc/redis-runtime/password",
  /** Which pod this is, as variables of a shell. */
  pod: "/usr/local/etc/redis-runtime/pod",
  /** A script that runs the image's client with the password. */
  client: "/usr/local/etc/redis-runtime/cli",
  /** What the operator says about the pod's peers; changes while the pod runs. */
  peers: "/usr/local/etc/redis-peers",
  /** What the server container says to its own probes; in memory. */
  state: "/run/redis",
  data: "/data",
  terminationMessage: "/dev/termination-log",
} as const;

/** How the server container ends when it must not serve: it has no data, and its peers may have some. */
export const heldExitCode = 90;

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
  readonly statefulSet: string;
  readonly service: string;
  readonly headlessService: string;
  readonly primaryPod: string;
} {
  return {
    configMap: instance,
    authSecret: `${instance}-auth`,
    passwordInUse: `${instance}.password-in-use`,
    binding: `${instance}-binding`,
    peers: `${instance}.peers`,
    statefulSet: instance,
    service: instance,
    headlessService: `${instance}-headless`,
    primaryPod: `${instance}-0`,
  };
}
