import { createHash, createHmac } from "node:crypto";

/** Looks, and can do nothing else: the operator's beats, the probes of the pod, peers that start. */
export const probeUser = "kedge-probe";

/** What people are by `kubectl exec` and `kedge redis cli`: it does not depend on the clients' password. */
export const cliUser = "kedge-cli";

/** What the exporter of metrics reads as. */
export const exporterUser = "kedge-exporter";

/** What replicas follow their primary as. */
export const replicationUser = "kedge-replication";

/**
 * A server has this user from its start until an operator admits it to an epoch: whoever is this user gives the first
 * orders to a process, and nobody does after that.
 */
export const startUser = "kedge-start";

/** What the operator commands servers as in an epoch. Admission to a later epoch takes the user away. */
export function operatorUser(epoch: number): string {
  return `kedge-operator-${epoch}`;
}

/** What a server's data is. */
export type DataRole = "primary" | "replica";

/** A user that nobody can be: that there is one records, on the server's own volume, of which epoch its data is. */
export function recordUser(role: DataRole, epoch: number): string {
  return `kedge-${role}-${epoch}`;
}

/** What the users of a server say of it. */
export interface ServerRecord {
  /** The newest epoch that it has heard of; 0 when of none. */
  readonly epoch: number;
  /** It was admitted to the epoch since it started. */
  readonly isAdmitted: boolean;
  /** Its data is that of the primary of this epoch, or of a replica that was in sync in it. */
  readonly data: { readonly role: DataRole; readonly epoch: number } | undefined;
}

/** Reads the names of a server's users. */
export function readRecord(users: readonly string[]): ServerRecord {
  const found = users.flatMap((user) => {
    const [, kind = "", epoch = ""] = /^kedge-(operator|primary|replica)-(\d{1,15})$/u.exec(user) ?? [];
    return epoch === "" ? [] : [{ kind, epoch: Number(epoch) }];
  });
  const records = found
    .filter(({ kind }) => kind !== "operator")
    .toSorted((one, other) => other.epoch - one.epoch);
  const [newest] = records;
  return {
    epoch: Math.max(0, ...found.map(({ epoch }) => epoch)),
    isAdmitted: !users.includes(startUser),
    data:
      newest === undefined
        ? undefined
        : { role: newest.kind === "primary" ? "primary" : "replica", epoch: newest.epoch },
  };
}

/** Users of the operator and records that a server is to have no longer when it is admitted to an epoch. */
export function outdatedUsers(users: readonly string[], epoch: number): readonly string[] {
  return users.filter((user) => user.startsWith("kedge-operator-") && user !== operatorUser(epoch));
}

/** All records but one. */
export function otherRecords(users: readonly string[], kept: string): readonly string[] {
  return users.filter((user) => /^kedge-(?:primary|replica)-\d+$/u.test(user) && user !== kept);
}

/** The password of a system user of an instance, from the key that only its Secret has. */
export function systemPassword(key: string, user: string): string {
  return createHmac("sha256", key).update(user).digest("hex");
}

/** As Redis writes a password down. */
export function passwordHash(password: string): string {
  return createHash("sha256").update(password).digest("hex");
}

/** For users that may do all. */
export const everything = "~* &* +@all";

/** For those who command servers: their role, their config, their users, their clients; never a key. */
export const commanding =
  "-@all +@admin +@connection +info +role +multi +exec +discard +wait -monitor -debug -sync -psync -module";

/** What the users of the system may do, as rules of an ACL: each only what it is for. */
export const systemRules = {
  [probeUser]: "-@all +ping +info +role +acl|users",
  [replicationUser]: "-@all +ping +replconf +psync",
  [startUser]: commanding,
  [cliUser]: everything,
  // Not CONFIG GET, which tells the password of replication, and cannot be allowed key by key; nor SLOWLOG GET and CLIENT
  // LIST, which tell what clients do.
  [exporterUser]: "-@all +ping +info +client|setname +slowlog|len +latency|latest",
} as const satisfies Readonly<Record<string, string>>;
