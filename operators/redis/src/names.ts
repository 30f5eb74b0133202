/** Keeps an instance until its clean-up is done. */
export const finalizer = "redis.github.com/finalizer";

/** On pods: the hash of the redis.conf that they were started with. */
export const configHashAnnotation = "redis.github.com/config-hash";

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

/** The port, everywhere. */
export const redisPort = 6379;

/** The key of the password in its Secret. */
export const passwordKey = "password";

/** The claim template's name: claims are called `redis-data-<instance>-<ordinal>`. */
export const dataVolume = "redis-data";

/** Where things are in the container. */
export const paths = {
  config: "/usr/local/etc/redis",
  runtime: "/usr/local/etc/redis-runtime",
  runtimeConfig: "/usr/local/etc/redis-runtime/runtime.conf",
  data: "/data",
} as const;

/** Labels of all that belongs to an instance; they also select its pods. */
export function labelsOf(instance: string): Record<string, string> {
  return { ...appLabel, [instanceLabel]: instance };
}

/** What the children of an instance are called. */
export function namesOf(instance: string): {
  readonly configMap: string;
  readonly authSecret: string;
  readonly statefulSet: string;
  readonly service: string;
  readonly headlessService: string;
  readonly primaryPod: string;
} {
  return {
    configMap: instance,
    authSecret: `${instance}-auth`,
    statefulSet: instance,
    service: instance,
    headlessService: `${instance}-headless`,
    primaryPod: `${instance}-0`,
  };
}
