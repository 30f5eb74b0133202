import {
  ifFound,
  isAlreadyExists,
  isControlledBy,
  OwnershipError,
  type Clock,
  type DeepReadonly,
  type Random,
} from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import type { ReconcileContext } from "@kedge/runtime";
import type { Acting } from "./acting.ts";
import { nextExpiry } from "./credentials/accounts.ts";
import {
  contentData,
  isSameContent,
  newContent,
  nextContent,
  readContent,
  type SystemContent,
} from "./credentials/content.ts";
import type { AcceptedUser } from "./credentials/credential-state.ts";
import { usersMarker } from "./credentials/users-text.ts";
import { credentialWishes, type CredentialWishes } from "./credentials/wanted.ts";
import type { RedisInstance } from "./kind.ts";
import { namesOf, passwordKey } from "./names.ts";
import { isAsked, rotationStep, type RotationStep } from "./rotation.ts";
import { systemSecretOf } from "./specs/system-secret.ts";

type Context = Pick<ReconcileContext<RedisInstance>, "read">;
type Instance = DeepReadonly<RedisInstance>;

/** How it is with users and passwords. No password is in it. */
export interface CredentialFacts extends Pick<CredentialWishes, "untried" | "missing"> {
  /** Of the Secret of the system. `waiting`: there is no password for clients yet. */
  readonly secret: "there" | "missing" | "outdated" | "waiting";
  /** The user whose name says that a server has the users that the Secret has now. */
  readonly marker: string | undefined;
  readonly client: RotationStep;
  readonly system: "none" | "begin" | "spreading";
  /** Milliseconds until a password runs out. */
  readonly expiresInMs: number | undefined;
}

/** Compares, and hands on nothing but the result. */
export function credentialFacts(
  context: Context & { readonly clock: Pick<Clock, "now"> },
  instance: Instance,
): CredentialFacts {
  const { namespace, name } = instance.metadata;
  const names = namesOf(name);
  const content = systemContent(context, instance);
  const { wanted, untried, missing } = wishesOf(context, instance, content);
  const now = context.clock.now();
  const expiry = content === undefined ? undefined : nextExpiry(content.state.accounts);
  const isOutdated =
    content !== undefined &&
    wanted !== undefined &&
    !isSameContent(content, nextContent(content, wanted, now));
  return {
    secret:
      wanted === undefined
        ? "waiting"
        : content === undefined
          ? "missing"
          : isOutdated
            ? "outdated"
            : "there",
    marker: content === undefined ? undefined : usersMarker(content.state),
    untried,
    missing,
    client: rotationStep({
      instance,
      authSecret: context.read(Secret).get({ namespace, name: names.authSecret }),
      inUse: context.read(Secret).get({ namespace, name: names.passwordInUse }),
    }),
    system:
      content?.nextKey !== undefined
        ? "spreading"
        : content !== undefined && isAsked(instance, "system")
          ? "begin"
          : "none",
    expiresInMs: expiry === undefined ? undefined : Math.max(0, expiry - now),
  };
}

/** What the Secret of the system says; undefined while there is none of ours. */
export function systemContent(context: Context, instance: Instance): SystemContent | undefined {
  return readContent(readOurs(context, instance, namesOf(instance.metadata.name).systemSecret));
}

/** What the passwords of the system's users are made from; undefined while there is none. */
export function systemKey(context: Context, instance: Instance): string | undefined {
  return systemContent(context, instance)?.key;
}

/** The password that the servers ask clients for; undefined when there is none. */
export function clientPassword(context: Context, instance: Instance): string | undefined {
  const secret = readOurs(context, instance, namesOf(instance.metadata.name).passwordInUse);
  const encoded = secret?.data?.[passwordKey] ?? "";
  return encoded === "" ? undefined : Buffer.from(encoded, "base64").toString();
}

/** What an action on the Secret of the system works with. */
type Writing = Pick<Acting, "instance" | "secretRandom"> & {
  readonly context: Acting["context"] & Context & Pick<ReconcileContext<RedisInstance>, "clock">;
};

/** Makes the Secret of the system, or brings it up to date. */
export async function keepSystemSecret(writing: Writing): Promise<void> {
  await changeSystemSecret(writing, (content) => content);
}

/** Writes down what servers have accepted of users. */
export async function acceptUsers(
  writing: Writing,
  accepted: Readonly<Record<string, AcceptedUser>>,
): Promise<void> {
  await changeSystemSecret(writing, (content) => {
    const users = { ...content.state.users, ...accepted };
    // For the wishes: who has no account yet gets one with them.
    return { ...content, state: { ...content.state, users } };
  });
}

/** Begins to give the system's users other passwords, or ends it: then the new key is the key. */
export async function turnSystemKey(writing: Writing, step: "begin" | "finish"): Promise<void> {
  const made = newKey(writing.secretRandom);
  await changeSystemSecret(writing, (content) => {
    if (step === "begin") return { ...content, nextKey: content.nextKey ?? made };
    return { ...content, key: content.nextKey ?? content.key, nextKey: undefined };
  });
}

async function changeSystemSecret(
  writing: Writing,
  change: (content: SystemContent) => SystemContent,
): Promise<void> {
  const { context, instance, secretRandom } = writing;
  const { namespace } = instance.metadata;
  const name = namesOf(instance.metadata.name).systemSecret;
  const found = readOurs(context, instance, name);
  const present = readContent(found);
  const before = present ?? newContent(newKey(secretRandom));
  const changed = change(before);
  const { wanted } = wishesOf(context, instance, changed);
  if (wanted === undefined) return;
  // What was so before tells which passwords have been replaced, and which users are to be told of.
  const next = nextContent(
    { ...changed, state: { ...changed.state, users: before.state.users } },
    wanted,
    context.clock.now(),
  );
  if (found === undefined) {
    await create(writing, next);
    return;
  }
  const { uid, resourceVersion } = found.metadata;
  // Null takes away what is not said any more.
  const over = Object.fromEntries(Object.keys(found.data ?? {}).map((gone) => [gone, null]));
  const merge = { metadata: { uid, resourceVersion }, data: { ...over, ...contentData(next) } };
  await context.client.of(Secret).patch({ namespace, name }, { merge }, { signal: context.signal });
}

async function create({ context, instance }: Writing, content: SystemContent): Promise<void> {
  const { client, signal } = context;
  const secret = systemSecretOf(instance, content);
  try {
    await client.of(Secret).create(secret, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { namespace } = instance.metadata;
    const { systemSecret: name } = namesOf(instance.metadata.name);
    const there = await ifFound(client.of(Secret).get({ namespace, name }, { signal }));
    // Ours is as good: the cache does not show it yet.
    if (there === undefined || isControlledBy(there, instance)) return;
    throw new OwnershipError(
      "OtherController",
      `The Secret ${name} is not this instance's, which needs the name: delete or rename it.`,
    );
  }
}

function wishesOf(
  context: Context,
  instance: Instance,
  content: SystemContent | undefined,
): CredentialWishes {
  const { namespace, name } = instance.metadata;
  return credentialWishes({
    spec: instance.spec,
    content,
    inUse: readOurs(context, instance, namesOf(name).passwordInUse),
    secret: (from) => context.read(Secret).get({ namespace, name: from }),
  });
}

/** 256 bits. */
function newKey(random: Random): string {
  return Array.from({ length: 64 }, () => random.int(16).toString(16)).join("");
}

function readOurs(context: Context, instance: Instance, name: string): DeepReadonly<Secret> | undefined {
  const secret = context.read(Secret).get({ namespace: instance.metadata.namespace, name });
  return secret !== undefined && isControlledBy(secret, instance) ? secret : undefined;
}
