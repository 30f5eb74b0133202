import type { DeepReadonly } from "@kedge/machinery";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import type { InstanceSpec } from "../kind.ts";
import { nextPasswordKey, passwordKey } from "../names.ts";
import { acceptableUsers, aclRules } from "../rules/user-rules.ts";
import { passwordHash } from "../users.ts";
import type { SystemContent, WantedCredentials } from "./content.ts";

/** A user whose rules no server has been asked about. */
export interface UntriedUser {
  readonly user: string;
  readonly rules: string;
}

/** A password that is not where the spec says. */
export interface MissingPassword {
  readonly user: string;
  readonly secret: string;
  readonly key: string;
}

/** What there is to be wanted, and what keeps it from being so. */
export interface CredentialWishes {
  /** Undefined while there is no password for clients: then there are no users, either. */
  readonly wanted: WantedCredentials | undefined;
  readonly untried: readonly UntriedUser[];
  readonly missing: readonly MissingPassword[];
}

/** Of what wishes are made. */
export interface WishSources {
  readonly spec: InstanceSpec;
  readonly content: SystemContent | undefined;
  /** Ours, with the password that servers were given. */
  readonly inUse: DeepReadonly<Secret> | undefined;
  /** A Secret of the namespace. */
  readonly secret: (name: string) => DeepReadonly<Secret> | undefined;
}

/**
 * Who is to be able to log in with what. Users keep the rules that servers have accepted until others are, and the
 * passwords that they have while a Secret is missing. So do clients.
 */
export function credentialWishes({ spec, content, inUse, secret }: WishSources): CredentialWishes {
  const state = content?.state;
  const passwords = spec.auth.enabled ? clientPasswords(inUse) : undefined;
  const known = state?.accounts["default"];
  if (spec.auth.enabled && passwords?.length === 0 && known === undefined)
    return { wanted: undefined, untried: [], missing: [] };
  const untried: UntriedUser[] = [];
  const missing: MissingPassword[] = [];
  const users: Record<string, WantedCredentials["users"][string]> = {};
  for (const user of acceptableUsers(spec.users)) {
    const { name, enabled, passwords: sources } = user;
    const found = sources.map(({ secret: from, key }) => ({
      from,
      key,
      password: Buffer.from(secret(from)?.data?.[key] ?? "", "base64").toString(),
    }));
    const absent = found.filter(({ password }) => password === "");
    missing.push(...absent.map(({ from, key }) => ({ user: name, secret: from, key })));
    const before = state?.accounts[name]?.hashes ?? [];
    const hashes = [
      ...new Set([
        ...found.flatMap(({ password }) => (password === "" ? [] : [passwordHash(password)])),
        ...(absent.length > 0 ? before : []),
      ]),
    ];
    if (hashes.length === 0) continue;
    const rules = aclRules(user);
    const accepted = state?.users[name];
    if (accepted?.rules !== rules) untried.push({ user: name, rules });
    if (accepted !== undefined) users[name] = { isEnabled: enabled, rules: accepted.rules, hashes };
  }
  // One that is refused now stays as it was.
  for (const { name } of spec.users ?? []) {
    const accepted = state?.users[name];
    const account = state?.accounts[name];
    if (users[name] === undefined && accepted !== undefined && account !== undefined)
      users[name] = { ...accepted, hashes: account.hashes };
  }
  const graceMs = spec.auth.oldPasswordSeconds * 1000;
  return {
    wanted: {
      clients: passwords?.length === 0 ? known?.hashes : passwords?.map((password) => passwordHash(password)),
      users,
      graceMs,
    },
    untried,
    missing,
  };
}

/** The one in use, and the one that follows. */
function clientPasswords(inUse: DeepReadonly<Secret> | undefined): readonly string[] {
  return [passwordKey, nextPasswordKey].flatMap((key) => {
    const password = Buffer.from(inUse?.data?.[key] ?? "", "base64").toString();
    return password === "" ? [] : [password];
  });
}
