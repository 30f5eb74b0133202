import { isControlledBy, type DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import type { RedisInstance } from "./kind.ts";
import { passwordKey } from "./names.ts";
import { authVariableName } from "./specs/pod-spec.ts";

/**
 * How it is with the password. There are two Secrets: `<name>-auth`, which users read and may bring, and ours, with the
 * password that the servers were given.
 */
export type PasswordState =
  /** Both have the same. */
  | "there"
  /** Nobody has one yet, and no server asks for one. */
  | "missing"
  /** The users' Secret has one, and the servers have not been given it yet. */
  | "new"
  /** The users' Secret is gone. */
  | "deleted"
  /** The users' Secret has another one: the servers are being given it. */
  | "changed"
  /** The users' Secret has none that a server could take, and the servers keep theirs. */
  | "spoilt"
  /** The users' Secret has none that a server could take, and the servers have none. */
  | "unusable"
  /** Both Secrets are gone: only the servers know it. */
  | "lost";

/** What the state of the password depends on. */
export interface PasswordFacts {
  readonly instance: DeepReadonly<RedisInstance>;
  readonly authSecret: DeepReadonly<Secret> | undefined;
  readonly inUse: DeepReadonly<Secret> | undefined;
  readonly statefulSet: DeepReadonly<StatefulSet> | undefined;
}

/** Compares, and hands on nothing but the result. */
export function passwordState({ instance, authSecret, inUse, statefulSet }: PasswordFacts): PasswordState {
  if (inUse === undefined || !isControlledBy(inUse, instance)) {
    if (authSecret === undefined) return asksForPassword(statefulSet) ? "lost" : "missing";
    return whyUnusable(authSecret) === undefined ? "new" : "unusable";
  }
  if (authSecret === undefined) return "deleted";
  if (whyUnusable(authSecret) !== undefined) return "spoilt";
  return authSecret.data?.[passwordKey] === inUse.data?.[passwordKey] ? "there" : "changed";
}

/** Why no server could take the password of a Secret: it goes into a line of redis.conf, in quotes. */
export function whyUnusable(secret: DeepReadonly<Secret>): string | undefined {
  const password = Buffer.from(secret.data?.[passwordKey] ?? "", "base64");
  if (password.length === 0) return `has no key ${passwordKey}`;
  if (password.length > longest) return `has a ${passwordKey} of more than ${longest} bytes`;
  return password.some((byte) => unquotable.has(byte) || byte < 0x20)
    ? `has a ${passwordKey} with a quote, a backslash or a line break`
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
