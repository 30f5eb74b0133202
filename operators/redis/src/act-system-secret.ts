import { ifFound, isAlreadyExists, isControlledBy, OwnershipError, type Random } from "@kedge/machinery";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import type { ReconcileContext } from "@kedge/runtime";
import type { Acting } from "./acting.ts";
import {
  contentData,
  isSameContent,
  newContent,
  nextContent,
  readContent,
  rememberingContent,
  turnedContent,
  type SystemContent,
} from "./credentials/content.ts";
import type { AcceptedUser } from "./credentials/credential-state.ts";
import type { RedisInstance } from "./kind.ts";
import { namesOf } from "./names.ts";
import { loadSecrets } from "./secrets.ts";
import { systemSecretOf } from "./specs/system-secret.ts";
import { readOurs, wishesOf } from "./system-secret.ts";

/** What an action on the Secret of the system works with. */
type Writing = Pick<Acting, "instance" | "secretRandom"> & {
  readonly context: Acting["context"] & Pick<ReconcileContext<RedisInstance>, "clock" | "read">;
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
    return step === "begin" ? { ...content, nextKey: content.nextKey ?? made } : turnedContent(content);
  });
}

/** Writes down which passwords servers accept beside those that are known: whoever has one is not shut out at once. */
export async function rememberPasswords(
  writing: Writing,
  found: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const { context, instance } = writing;
  const graceMs = instance.spec.auth.oldPasswordSeconds * 1000;
  await changeSystemSecret(writing, (content) =>
    rememberingContent(content, found, { now: context.clock.now(), graceMs }),
  );
}

async function changeSystemSecret(
  writing: Writing,
  change: (content: SystemContent) => SystemContent,
): Promise<void> {
  const { context, instance, secretRandom } = writing;
  const { namespace } = instance.metadata;
  const name = namesOf(instance.metadata.name).systemSecret;
  const secret = await loadSecrets(context, instance);
  const found = readOurs(context, instance, name);
  const present = readContent(found);
  const before = present ?? newContent(newKey(secretRandom));
  const changed = change(before);
  const { wanted } = wishesOf(context, instance, { content: changed, secret });
  if (wanted === undefined) return;
  // What was so before tells which passwords have been replaced, and which users are to be told of.
  const next = nextContent(
    { ...changed, state: { ...changed.state, users: before.state.users } },
    wanted,
    context.clock.now(),
  );
  if (present !== undefined && isSameContent(present, next)) return;
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

/** 256 bits. */
function newKey(random: Random): string {
  return Array.from({ length: 64 }, () => random.int(16).toString(16)).join("");
}
