import {
  ifFound,
  isAlreadyExists,
  isControlledBy,
  OwnershipError,
  type DeepReadonly,
} from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import type { Acting } from "./acting.ts";
import type { RedisInstance } from "./kind.ts";
import { namesOf, passwordKey } from "./names.ts";
import { passwordSource, whyUnusable } from "./password.ts";
import { authSecretOf, newPassword, passwordInUseOf } from "./specs/auth-secret.ts";

/** Makes a password, for servers that have none, and gives it to them. */
export async function createPassword(acting: Acting): Promise<void> {
  const { context, instance, secretRandom } = acting;
  await create(context, authSecretOf(instance, newPassword(secretRandom)));
  await adoptPassword(acting);
}

/**
 * Gives the servers the password of the users' Secret. When that is gone in the meantime nothing is done: servers may
 * have it, and another one would shut their clients and replicas out.
 */
export async function adoptPassword({ context, instance }: Acting): Promise<void> {
  const { secret, key } = passwordSource(instance);
  const found = await read(context, instance, secret);
  if (found === undefined) return;
  const why = whyUnusable(found, key);
  if (why !== undefined) throw new TypeError(`The Secret ${secret} ${why}: choose another one.`);
  const made = await create(context, passwordInUseOf(instance, passwordOf(found, key)));
  // Ours is as good: the cache did not show it yet.
  if (made === undefined) await readInUse(context, instance);
}

/** Makes the users' Secret again, with the password that the servers have. */
export async function restorePassword({ context, instance }: Acting): Promise<void> {
  const inUse = await readInUse(context, instance);
  if (inUse === undefined) return;
  const restored = await create(context, authSecretOf(instance, passwordOf(inUse, passwordKey)));
  if (restored === undefined) return;
  const { name } = restored.metadata;
  context.events.record(instance, {
    type: "Warning",
    reason: "PasswordRestored",
    message: `The Secret ${name} was not there any more, and was made again with the password that the servers have.`,
  });
}

type Context = Acting["context"];

/** Undefined when there is one of that name. */
async function create(
  { client, signal }: Context,
  secret: ReturnType<typeof authSecretOf>,
): Promise<Secret | undefined> {
  try {
    return await client.of(Secret).create(secret, { signal });
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}

/** From the server: what has just been made may not be in a cache. */
async function read(
  { client, signal }: Context,
  { metadata: { namespace } }: DeepReadonly<RedisInstance>,
  name: string,
): Promise<Secret | undefined> {
  return await ifFound(client.of(Secret).get({ namespace, name }, { signal }));
}

async function readInUse(
  context: Context,
  instance: DeepReadonly<RedisInstance>,
): Promise<Secret | undefined> {
  const { passwordInUse } = namesOf(instance.metadata.name);
  const found = await read(context, instance, passwordInUse);
  if (found === undefined || isControlledBy(found, instance)) return found;
  throw new OwnershipError(
    "OtherController",
    `The Secret ${passwordInUse} is not this instance's, which needs the name: delete or rename it.`,
  );
}

/** In base64. */
function passwordOf(secret: Secret, key: string): string {
  return secret.data?.[key] ?? "";
}
