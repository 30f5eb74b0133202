import { deepEqual, isAlreadyExists, isControlledBy, type DeepReadonly, type Random } from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import type { ReconcileContext } from "@kedge/runtime";
import type { ServerActing } from "./acting.ts";
import type { RedisInstance } from "./kind.ts";
import { namesOf, passwordKey } from "./names.ts";
import { systemData, systemKeys, systemSecretOf } from "./specs/system-secret.ts";

type Context = Pick<ReconcileContext<RedisInstance>, "read">;
type Instance = DeepReadonly<RedisInstance>;

/** How it is with the Secret of the system's users. */
export type SystemSecretState = "there" | "missing" | "outdated";

/** Compares, and hands on nothing but the result. */
export function systemSecretState(context: Context, instance: Instance): SystemSecretState {
  const secret = readOurs(context, instance, namesOf(instance.metadata.name).systemSecret);
  const key = decoded(secret, systemKeys.key);
  if (secret === undefined || key === undefined) return "missing";
  return deepEqual(secret.data, systemData({ key, passwords: passwordsOf(context, instance) }))
    ? "there"
    : "outdated";
}

/** What the passwords of the system's users are made from; undefined while there is none. */
export function systemKey(context: Context, instance: Instance): string | undefined {
  return decoded(readOurs(context, instance, namesOf(instance.metadata.name).systemSecret), systemKeys.key);
}

/** The password that the servers ask clients for; undefined when there is none. */
export function clientPassword(context: Context, instance: Instance): string | undefined {
  return passwordsOf(context, instance)[0];
}

/** Makes the Secret of the system's users, or brings what is derived in it up to date. */
export async function keepSystemSecret({ context, instance, secretRandom }: ServerActing): Promise<void> {
  const { namespace } = instance.metadata;
  const name = namesOf(instance.metadata.name).systemSecret;
  const found = readOurs(context, instance, name);
  const present = decoded(found, systemKeys.key);
  const options = { key: present ?? newKey(secretRandom), passwords: passwordsOf(context, instance) };
  if (found === undefined) {
    try {
      await context.client.of(Secret).create(systemSecretOf(instance, options), { signal: context.signal });
    } catch (error) {
      // The cache does not show it yet: the next run sees whose it is.
      if (!isAlreadyExists(error)) throw error;
    }
    return;
  }
  const { uid, resourceVersion } = found.metadata;
  const change = { metadata: { uid, resourceVersion }, data: systemData(options) };
  await context.client.of(Secret).patch({ namespace, name }, { merge: change }, { signal: context.signal });
}

/** 256 bits. */
function newKey(random: Random): string {
  return Array.from({ length: 64 }, () => random.int(16).toString(16)).join("");
}

function passwordsOf(context: Context, instance: Instance): readonly string[] {
  const secret = readOurs(context, instance, namesOf(instance.metadata.name).passwordInUse);
  const password = decoded(secret, passwordKey);
  return password === undefined ? [] : [password];
}

function readOurs(context: Context, instance: Instance, name: string): DeepReadonly<Secret> | undefined {
  const secret = context.read(Secret).get({ namespace: instance.metadata.namespace, name });
  return secret !== undefined && isControlledBy(secret, instance) ? secret : undefined;
}

function decoded(secret: DeepReadonly<Secret> | undefined, key: string): string | undefined {
  const encoded = secret?.data?.[key];
  return encoded === undefined || encoded === "" ? undefined : Buffer.from(encoded, "base64").toString();
}
