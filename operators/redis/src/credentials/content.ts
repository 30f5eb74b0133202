import { deepEqual, type DeepReadonly } from "@kedge/machinery";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import {
  cliUser,
  exporterUser,
  passwordHash,
  probeUser,
  replicationUser,
  startUser,
  systemPassword,
  systemRules,
} from "../users.ts";
import { nextAccounts, withOld } from "./accounts.ts";
import { credentialState, type AcceptedUser, type CredentialState } from "./credential-state.ts";
import { clientUser, usersText } from "./users-text.ts";

/** What is in the Secret of the system. Pods see all but the keys and the state. */
export const systemKeys = {
  /** What the passwords of the system's users are made from; the operator's alone. */
  key: "key",
  /** The key that follows, while servers are told of it. */
  nextKey: "next-key",
  /** Those that were, with blanks between them, the newest first. */
  oldKeys: "old-keys",
  /** Who may log in with what: JSON. */
  state: "state",
  probe: "probe",
  replication: "replication",
  start: "start",
  cli: "cli",
  exporter: "exporter",
  /** The users, as lines of an ACL file. */
  users: "users.acl",
} as const;

/** What the Secret of the system says. */
export interface SystemContent {
  readonly key: string;
  readonly nextKey: string | undefined;
  /**
   * Those before. A pod may see the Secret late, and nobody can tell from outside when it has seen it: a container that
   * is started meanwhile knows an old key alone, and must be commanded with that. What servers accept they say themselves,
   * so that these open nothing.
   */
  readonly oldKeys: readonly string[];
  readonly state: CredentialState;
}

/** Who is to be able to log in. */
export interface WantedCredentials {
  /** Hashes of the passwords that clients may come with. Undefined: they are asked for none. */
  readonly clients: readonly string[] | undefined;
  /** Of the spec, whose rules a server has accepted, with the hashes of their passwords. */
  readonly users: Readonly<Record<string, AcceptedUser & { readonly hashes: readonly string[] }>>;
  /** For how long a password that was replaced is accepted. */
  readonly graceMs: number;
}

/** Volumes in which pods see the Secret follow it within two minutes: so long at least they may have the old ones. */
const propagationMs = 180_000;

/** So many changes of the key a pod may be behind. */
const mostOldKeys = 3;

/** Nobody may log in yet. */
export function newContent(key: string): SystemContent {
  return {
    key,
    nextKey: undefined,
    oldKeys: [],
    state: {
      id: passwordHash(`users of ${key}`).slice(0, 8),
      generation: 0,
      fingerprint: "",
      accounts: {},
      users: {},
    },
  };
}

/** The content that follows. It is the same where nothing has changed and nothing has run out. */
export function nextContent(before: SystemContent, wanted: WantedCredentials, now: number): SystemContent {
  const { key, nextKey, oldKeys, state } = before;
  const keys = [key, ...(nextKey === undefined ? [] : [nextKey])];
  const accounts = nextAccounts(
    state.accounts,
    {
      ...Object.fromEntries(
        Object.keys(systemRules).map((user) => [
          user,
          keys.map((one) => passwordHash(systemPassword(one, user))),
        ]),
      ),
      ...(wanted.clients !== undefined && { [clientUser]: wanted.clients }),
      ...Object.fromEntries(Object.entries(wanted.users).map(([user, { hashes }]) => [user, hashes])),
    },
    {
      now,
      graceMs: (user) => graceOf(user, wanted),
    },
  );
  const users = Object.fromEntries(
    Object.entries(wanted.users)
      .map(([user, { isEnabled, rules }]) => [user, { isEnabled, rules }] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
  const next = { ...state, accounts, users, fingerprint: passwordHash(keys.join(" ")) };
  // Replicas log in with the key, so that servers are to know of another one, too.
  const isSame = usersText(next) === usersText(state) && next.fingerprint === state.fingerprint;
  return { key, nextKey, oldKeys, state: isSame ? next : { ...next, generation: state.generation + 1 } };
}

/** The key that followed is the key now. */
export function turnedContent(content: SystemContent): SystemContent {
  const { key, nextKey, oldKeys } = content;
  if (nextKey === undefined) return content;
  return { ...content, key: nextKey, nextKey: undefined, oldKeys: [key, ...oldKeys].slice(0, mostOldKeys) };
}

/** Passwords that servers accept, though nothing is known of them: they are accepted for a while, as others that were. */
export function rememberingContent(
  content: SystemContent,
  found: Readonly<Record<string, readonly string[]>>,
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
): SystemContent {
  const { state } = content;
  const accounts = withOld(state.accounts, found, { now, graceMs: (user) => graceOf(user, { graceMs }) });
  if (accounts === state.accounts) return content;
  return { ...content, state: { ...state, accounts, generation: state.generation + 1 } };
}

/** All keys by which servers may know the system's users, the likeliest first. */
export function allKeys({ key, nextKey, oldKeys }: SystemContent): readonly [string, ...string[]] {
  return [key, ...(nextKey === undefined ? [] : [nextKey]), ...oldKeys];
}

function graceOf(user: string, { graceMs }: Pick<WantedCredentials, "graceMs">): number {
  return user in systemRules ? Math.max(propagationMs, graceMs) : graceMs;
}

/** Whether nothing needs to be written. */
export function isSameContent(one: SystemContent, other: SystemContent): boolean {
  return deepEqual(contentData(one), contentData(other));
}

/** Undefined: it has no key, and says nothing. */
export function readContent(secret: DeepReadonly<Secret> | undefined): SystemContent | undefined {
  const decoded = (name: string): string | undefined => {
    const encoded = secret?.data?.[name];
    return encoded === undefined || encoded === "" ? undefined : Buffer.from(encoded, "base64").toString();
  };
  const key = decoded(systemKeys.key);
  if (key === undefined) return undefined;
  const found = credentialState.safeParse(parsed(decoded(systemKeys.state)));
  const state = found.success ? found.data : newContent(key).state;
  const oldKeys = decoded(systemKeys.oldKeys)?.split(" ") ?? [];
  return { key, nextKey: decoded(systemKeys.nextKey), oldKeys, state };
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is in the Secret, in base64. */
export function contentData({
  key,
  nextKey,
  oldKeys,
  state,
}: SystemContent): Readonly<Record<string, string>> {
  const data = {
    [systemKeys.key]: key,
    ...(nextKey !== undefined && { [systemKeys.nextKey]: nextKey }),
    ...(oldKeys.length > 0 && { [systemKeys.oldKeys]: oldKeys.join(" ") }),
    [systemKeys.state]: JSON.stringify(state),
    [systemKeys.probe]: systemPassword(key, probeUser),
    [systemKeys.replication]: systemPassword(key, replicationUser),
    [systemKeys.start]: systemPassword(key, startUser),
    [systemKeys.cli]: systemPassword(key, cliUser),
    [systemKeys.exporter]: systemPassword(key, exporterUser),
    [systemKeys.users]: usersText(state),
  };
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
  );
}
