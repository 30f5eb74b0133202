/** The passwords of a user, as Redis writes them down: hashes. */
export interface Account {
  /** Those that it is to have. */
  readonly hashes: readonly string[];
  /** Those that it had: clients may still come with them. */
  readonly old: readonly OldHash[];
}

/** A password that is accepted a little longer. */
export interface OldHash {
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** By the name of the user. */
export type Accounts = Readonly<Record<string, Account>>;

/** More than these are not kept: the oldest go first. */
const mostOld = 16;

/**
 * The accounts that follow. A password that is not wanted any more is kept for `graceMs`, so that nobody who has it is
 * shut out in the moment in which it changes. Where nothing has changed and nothing has run out, they are as they were.
 */
export function nextAccounts(
  before: Accounts,
  wanted: Readonly<Record<string, readonly string[]>>,
  { now, graceMs }: { readonly now: number; readonly graceMs: (user: string) => number },
): Accounts {
  return Object.fromEntries(
    Object.entries(wanted).map(([user, hashes]) => {
      const had = before[user] ?? { hashes: [], old: [] };
      const replaced = had.hashes.map((hash) => ({ hash, until: now + graceMs(user) }));
      const old = [...had.old, ...replaced]
        .filter(({ hash, until }) => until > now && !hashes.includes(hash))
        .toSorted((one, other) => one.until - other.until);
      return [user, { hashes: [...hashes].toSorted(), old: old.slice(-mostOld) }];
    }),
  );
}

/** With passwords that users were found to have, for as long as one that was replaced. The same when all are known. */
export function withOld(
  before: Accounts,
  found: Readonly<Record<string, readonly string[]>>,
  { now, graceMs }: { readonly now: number; readonly graceMs: (user: string) => number },
): Accounts {
  const changed = Object.entries(before).flatMap(([user, account]) => {
    const known = acceptedHashes(account);
    const old = (found[user] ?? [])
      .filter((hash) => !known.includes(hash))
      .map((hash) => ({ hash, until: now + graceMs(user) }));
    return old.length === 0
      ? []
      : [[user, { ...account, old: [...account.old, ...old].slice(-mostOld) }] as const];
  });
  return changed.length === 0 ? before : { ...before, ...Object.fromEntries(changed) };
}

/** All that a user may log in with now. */
export function acceptedHashes({ hashes, old }: Account): readonly string[] {
  return [...new Set([...hashes, ...old.map(({ hash }) => hash)])].toSorted();
}

/** When the next password runs out; undefined when none does. */
export function nextExpiry(accounts: Accounts): number | undefined {
  const all = Object.values(accounts).flatMap(({ old }) => old.map(({ until }) => until));
  return all.length === 0 ? undefined : Math.min(...all);
}
