import { isControlledBy, type DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import type { RedisInstance } from "./kind.ts";
import { namesOf, passwordKey } from "./names.ts";
import { authRefusals } from "./rules/auth-rules.ts";
import { authVariableName } from "./specs/pod-spec.ts";

/** Where the password of clients is to be found. */
export interface PasswordSource {
  readonly secret: string;
  readonly key: string;
  /** The spec names it: it is the user's, whatever it is called. */
  readonly isGiven: boolean;
}

/** What the spec says; a Secret that is refused counts as none. */
export function passwordSource({
  metadata: { name },
  spec,
}: Pick<DeepReadonly<RedisInstance>, "metadata" | "spec">): PasswordSource {
  const { secretRef } = spec.auth;
  return secretRef === undefined || authRefusals(name, spec).length > 0
    ? { secret: namesOf(name).authSecret, key: passwordKey, isGiven: false }
    : { secret: secretRef.name, key: secretRef.key, isGiven: true };
}

/**
 * How it is with the password. There are two Secrets: the users', `<name>-auth` or the one that the spec names, and ours,
 * with the password that the servers were given.
 */
export type PasswordState =
  /** Both have the same. */
  | "there"
  /** Nobody has one yet, and no server asks for one. */
  | "missing"
  /** The users' Secret has one, and the servers have not been given it yet. */
  | "new"
  /** The users' Secret is gone, and we may make it again. */
  | "deleted"
  /** The users' Secret has another one: the servers are being given it. */
  | "changed"
  /** The users' Secret is not there, or has none that a server could take, and the servers keep theirs. */
  | "spoilt"
  /** The same, and the servers have none. */
  | "unusable"
  /** Both Secrets are gone: only the servers know it. */
  | "lost";

/** What the state of the password depends on. */
export interface PasswordFacts {
  readonly instance: DeepReadonly<RedisInstance>;
  /** The one of `passwordSource`. */
  readonly authSecret: DeepReadonly<Secret> | undefined;
  readonly inUse: DeepReadonly<Secret> | undefined;
  readonly statefulSet: DeepReadonly<StatefulSet> | undefined;
}

/** Compares, and hands on nothing but the result. */
export function passwordState({ instance, authSecret, inUse, statefulSet }: PasswordFacts): PasswordState {
  const { key, isGiven } = passwordSource(instance);
  if (inUse === undefined || !isControlledBy(inUse, instance)) {
    if (authSecret === undefined)
      return isGiven ? "unusable" : asksForPassword(statefulSet) ? "lost" : "missing";
    return whyUnusable(authSecret, key) === undefined ? "new" : "unusable";
  }
  if (authSecret === undefined) return isGiven ? "spoilt" : "deleted";
  if (whyUnusable(authSecret, key) !== undefined) return "spoilt";
  return authSecret.data?.[key] === inUse.data?.[passwordKey] ? "there" : "changed";
}

/** Why no server could take the password of a Secret: it goes into a line of redis.conf, in quotes. */
export function whyUnusable(secret: DeepReadonly<Secret>, key: string): string | undefined {
  const password = Buffer.from(secret.data?.[key] ?? "", "base64");
  if (password.length === 0) return `has no key ${key}`;
  if (password.length > longest) return `has a ${key} of more than ${longest} bytes`;
  return password.some((byte) => unquotable.has(byte) || byte < 0x20)
    ? `has a ${key} with a quote, a backslash or a line break`
    : undefined;
}

/** What Redis takes at most. */
const longest = 512;

const unquotable = new Set(Buffer.from('"\\'));

function asksForPassword(statefulSet: DeepReadonly<StatefulSet> | undefined): boolean {
  const containers = statefulSet?.spec?.template.spec?.initContainers ?? [];
  return containers.some(({ env = [] }) =>
    env.some(({ name, value }) => name === authVariableName && value === "true"),
  );
}
