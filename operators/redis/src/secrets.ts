import { compareResourceVersions, ifFound, type DeepReadonly, type ObjectKey } from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import { byLabel, metadataOf, watches, type ReconcileContext, type WatchMap } from "@kedge/runtime";
import { RedisInstance } from "./kind.ts";
import { instanceLabel, namesOf } from "./names.ts";
import { passwordSource } from "./password.ts";

type Context = Pick<ReconcileContext<RedisInstance>, "read" | "client" | "signal">;
type Instance = DeepReadonly<RedisInstance>;
type SecretView = DeepReadonly<Secret>;

/** A Secret of an instance's namespace. */
export type SecretReader = (name: string) => SecretView | undefined;

const SecretMetadata = metadataOf(Secret);

/**
 * A Secret concerns the instance that it has the password of, by its name or, if we made it, by its label, and those that
 * name it, for their clients or for their users.
 */
const bySecret: WatchMap<Pick<Secret, "metadata">> = ({ metadata }, _previous, { informers }) => {
  const { namespace, name } = metadata;
  const { authSecret, systemSecret } = namesOf("");
  const suffix = [authSecret, systemSecret].find((known) => name.endsWith(known));
  const owners =
    suffix === undefined
      ? [...byLabel(instanceLabel)({ metadata })]
      : [{ namespace, name: name.slice(0, -suffix.length) }];
  const readers = informers
    .of(RedisInstance)
    .list({ namespace })
    .filter(
      ({ spec: { auth, users } }) =>
        auth.secretRef?.name === name ||
        users?.some(({ passwords }) => passwords.some((one) => one.secret === name)),
    );
  return [...owners, ...readers.map(({ metadata: reader }) => reader)];
};

/** Leaves out the types that never hold a password of Redis: charts' releases alone can be most of a cluster's Secrets. */
const otherSecrets = [
  "helm.sh/release.v1",
  "kubernetes.io/service-account-token",
  "kubernetes.io/dockercfg",
  "kubernetes.io/dockerconfigjson",
  "kubernetes.io/tls",
  "bootstrap.kubernetes.io/token",
]
  .map((type) => `type!=${type}`)
  .join(",");

/**
 * Our Secrets are kept in memory. Those that users have made need no label of ours, so that any Secret may be one: of
 * these only the metadata is, and what a RedisInstance names is read when it has changed.
 */
export const watchedSecrets = [
  watches(Secret, bySecret, { labelSelector: instanceLabel }),
  watches(SecretMetadata, bySecret, { fieldSelector: otherSecrets }),
];

/** What the version of a Secret says that a cache of metadata shows; undefined when it was gone by then. */
const contents = new WeakMap<object, SecretView | undefined>();

/**
 * A Secret as the caches know it. One without our label is known only once `loadSecrets` has read it: until then, and
 * after it has changed, it is what it was, or nothing.
 */
export function readSecret({ read }: Pick<Context, "read">, key: ObjectKey): SecretView | undefined {
  const whole = read(Secret).get(key);
  const seen = read(SecretMetadata).get(key);
  return seen !== undefined && !isAsNew(whole, seen) && contents.has(seen) ? contents.get(seen) : whole;
}

/** Reads those Secrets of an instance, its own and its users', that the caches do not have, and shows all of them. */
export async function loadSecrets(context: Context, instance: Instance): Promise<SecretReader> {
  const { namespace } = instance.metadata;
  const found = await Promise.all(
    namesIn(instance).map(async (name) => [name, await load(context, { namespace, name })] as const),
  );
  const secrets = new Map(found);
  return (name) => secrets.get(name);
}

async function load(
  context: Context,
  key: { readonly namespace: string; readonly name: string },
): Promise<SecretView | undefined> {
  const seen = context.read(SecretMetadata).get(key);
  if (seen === undefined || isAsNew(context.read(Secret).get(key), seen) || contents.has(seen))
    return readSecret(context, key);
  const content = await ifFound(context.client.of(Secret).get(key, { signal: context.signal }));
  contents.set(seen, content);
  return content;
}

/** All that an instance has or asks for. */
function namesIn(instance: Instance): readonly string[] {
  const { passwordInUse, systemSecret, binding } = namesOf(instance.metadata.name);
  const ofUsers = (instance.spec.users ?? []).flatMap(({ passwords }) =>
    passwords.map(({ secret }) => secret),
  );
  return [...new Set([passwordSource(instance).secret, passwordInUse, systemSecret, binding, ...ofUsers])];
}

function isAsNew(
  whole: SecretView | undefined,
  { metadata }: DeepReadonly<Pick<Secret, "metadata">>,
): boolean {
  return (
    whole !== undefined &&
    compareResourceVersions(whole.metadata.resourceVersion, metadata.resourceVersion) !== -1
  );
}
