import { isControlledBy, type Clock, type DeepReadonly } from "@kedge/machinery";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import type { ReconcileContext } from "@kedge/runtime";
import { nextExpiry } from "./credentials/accounts.ts";
import {
  allKeys,
  isSameContent,
  nextContent,
  readContent,
  type SystemContent,
} from "./credentials/content.ts";
import { clientUser, usersMarker } from "./credentials/users-text.ts";
import { credentialWishes, type CredentialWishes } from "./credentials/wanted.ts";
import type { RedisInstance } from "./kind.ts";
import type { Login } from "./engine/types.ts";
import { namesOf, nextPasswordKey, passwordKey } from "./names.ts";
import { passwordSource } from "./password.ts";
import { isAsked, rotationStep, type RotationStep } from "./rotation.ts";
import { readSecret, type SecretReader } from "./secrets.ts";
import { exporterUser, passwordHash, systemPassword } from "./users.ts";

type Context = Pick<ReconcileContext<RedisInstance>, "read">;
type Instance = DeepReadonly<RedisInstance>;

/** How it is with users and passwords. No password is in it. */
export interface CredentialFacts extends Pick<CredentialWishes, "untried" | "missing"> {
  /** Of the Secret of the system. `waiting`: there is no password for clients yet. */
  readonly secret: "there" | "missing" | "outdated" | "waiting";
  /** The user whose name says that a server has the users that the Secret has now. */
  readonly marker: string | undefined;
  /** Says which password exporters log in with, without telling it. */
  readonly exporterPassword: string | undefined;
  readonly client: RotationStep;
  readonly system: "none" | "begin" | "spreading";
  /** Milliseconds until a password runs out. */
  readonly expiresInMs: number | undefined;
}

/** Compares, and hands on nothing but the result. */
export function credentialFacts(
  context: Context & { readonly clock: Pick<Clock, "now"> },
  instance: Instance,
  secret: SecretReader,
): CredentialFacts {
  const names = namesOf(instance.metadata.name);
  const content = systemContent(context, instance);
  const { wanted, untried, missing } = wishesOf(context, instance, { content, secret });
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
    exporterPassword:
      content === undefined
        ? undefined
        : passwordHash(systemPassword(content.key, exporterUser)).slice(0, 10),
    untried,
    missing,
    client: rotationStep({
      instance,
      authSecret: secret(passwordSource(instance).secret),
      inUse: secret(names.passwordInUse),
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

/**
 * As a user of the system, with the password of now, and those that servers may know it by if they do not know that yet.
 * Undefined while there is no Secret of ours.
 */
export function systemLogin(context: Context, instance: Instance, username: string): Login | undefined {
  const content = systemContent(context, instance);
  if (content === undefined) return undefined;
  const [password, ...others] = allKeys(content).map((key) => systemPassword(key, username));
  return password === undefined ? undefined : { username, password, others };
}

/** As clients log in; undefined when they need no password. */
export function clientLogin(context: Context, instance: Instance): Login | undefined {
  const secret = readOurs(context, instance, namesOf(instance.metadata.name).passwordInUse);
  const [password, ...others] = [passwordKey, nextPasswordKey].flatMap((key) => {
    const found = Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
    return found === "" ? [] : [found];
  });
  return password === undefined ? undefined : { username: clientUser, password, others };
}

/** Who is to be able to log in, as far as it is known, with that content of the Secret. */
export function wishesOf(
  context: Context,
  instance: Instance,
  { content, secret }: { readonly content: SystemContent | undefined; readonly secret: SecretReader },
): CredentialWishes {
  return credentialWishes({
    spec: instance.spec,
    content,
    inUse: readOurs(context, instance, namesOf(instance.metadata.name).passwordInUse),
    secret,
  });
}

/** A Secret of ours; undefined while there is none, and when one of that name is somebody else's. */
export function readOurs(
  context: Context,
  instance: Instance,
  name: string,
): DeepReadonly<Secret> | undefined {
  const secret = readSecret(context, { namespace: instance.metadata.namespace, name });
  return secret !== undefined && isControlledBy(secret, instance) ? secret : undefined;
}
