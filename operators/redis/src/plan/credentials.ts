import type { Refusal } from "@kedge/runtime";
import { rotateAnnotation } from "../names.ts";
import type { Observed } from "../observe.ts";
import { passwordSource } from "../password.ts";
import { rotations } from "../rotation.ts";
import { acceptableUsers, aclRules, fieldOf, userRefusals } from "../rules/user-rules.ts";
import { answering, type AnsweringServer } from "../server-view.ts";
import { operatorUser } from "../users.ts";
import type { UntriedUser } from "../credentials/wanted.ts";
import type { ReplicationAction, ServerTarget } from "./replication/types.ts";

/** Gives a server the users that it is to have. */
export interface SetUsers {
  readonly type: "set users";
  readonly server: ServerTarget;
  /** Those that it has. */
  readonly users: readonly string[];
}

/** Asks a server whether it takes the rules of users. */
export interface TryUsers {
  readonly type: "try users";
  readonly server: ServerTarget;
  /** What it runs. */
  readonly version: string;
  readonly users: readonly UntriedUser[];
}

/** Makes new passwords the ones in use. */
export interface FinishRotation {
  readonly type: "finish rotation";
  readonly of: "client" | "system";
  readonly servers: readonly ServerTarget[];
}

/** What is done about users and passwords. */
export type CredentialAction =
  | SetUsers
  | TryUsers
  | FinishRotation
  | { readonly type: "keep system secret" }
  | { readonly type: "turn password" }
  | { readonly type: "turn system key" };

/** What is to be done about users and passwords, and what is refused. */
export interface CredentialPlan {
  readonly actions: readonly (CredentialAction | Extract<ReplicationAction, { type: "clear annotation" }>)[];
  readonly refusals: readonly Refusal[];
  /** Milliseconds after which to look again. */
  readonly again: number | undefined;
}

/**
 * Passwords change in three steps, each written down before the next begins: servers accept both (`spreading`), the new
 * one becomes the one in use when all of them let us in with it, and the old one goes when its time has run out. Users are
 * set in servers while they run; a rule that no server has taken yet is tried on one of them first.
 */
export function planCredentials(observed: Observed): CredentialPlan {
  const { secret, client, system, expiresInMs } = observed.credentials;
  const { admitted, lacking, waiting } = spreadOf(observed);
  const trials = standingTrials(observed, admitted);
  const untried = triable(observed, trials);
  const judge = judgeOf(admitted);
  const isSpread = secret === "there" && waiting.length === 0;
  const finished = isSpread
    ? ([
        client === "spreading" ? "client" : undefined,
        system === "spreading" ? "system" : undefined,
      ] as const)
    : [];
  return {
    actions: [
      ...(["begin", "make", "cancel"].includes(client) ? [{ type: "turn password" } as const] : []),
      ...(system === "begin" ? [{ type: "turn system key" } as const] : []),
      ...doneAsking(observed),
      ...(secret === "missing" || secret === "outdated" ? [{ type: "keep system secret" } as const] : []),
      ...(judge !== undefined && untried.length > 0 && secret === "there"
        ? [
            {
              type: "try users",
              server: targetOf(judge),
              version: versionOf(judge),
              users: untried,
            } as const,
          ]
        : []),
      ...lacking.map(
        (one) => ({ type: "set users", server: targetOf(one), users: one.answer.users }) as const,
      ),
      ...finished.flatMap((of) =>
        of === undefined ? [] : [{ type: "finish rotation", of, servers: admitted.map(targetOf) } as const],
      ),
    ],
    refusals: [
      ...askedInVain(observed),
      ...userRefusals(observed.instance.spec.users),
      ...userTroubles(observed, trials),
    ],
    again: lacking.length > 0 || client === "spreading" || system === "spreading" ? soonMs : expiresInMs,
  };
}

/** How far servers have got the users that they are to have. */
export interface CredentialSpread {
  /** Servers that take orders. */
  readonly admitted: readonly AnsweringServer[];
  /** Of these, those that have not got the users yet. */
  readonly lacking: readonly AnsweringServer[];
  /** Pods whose server runs and has not got them, for whatever reason. */
  readonly waiting: readonly string[];
}

/** Who has the users that the Secret of the system has now. */
export function spreadOf({
  credentials: { marker },
  servers,
}: Pick<Observed, "credentials" | "servers">): CredentialSpread {
  const admitted = answering(servers).filter(
    ({ answer }) => answer.record.isAdmitted && answer.record.epoch > 0 && !answer.facts.isLoading,
  );
  const lacking = marker === undefined ? [] : admitted.filter(({ answer }) => !answer.users.includes(marker));
  const waiting = servers
    .filter(({ host }) => host !== undefined)
    .filter((server) => !admitted.some((one) => one === server && !lacking.includes(one)))
    .map(({ pod }) => pod);
  return { admitted, lacking, waiting };
}

/** No watch tells when servers have become what they were told. */
const soonMs = 500;

function targetOf({ pod, host, answer }: AnsweringServer): ServerTarget {
  return { pod, host, as: operatorUser(answer.record.epoch) };
}

/** What an old server does not know a newer one may: what was refused is so while a server of that version runs. */
function standingTrials(
  { userTrials }: Observed,
  admitted: readonly AnsweringServer[],
): Observed["userTrials"] {
  if (admitted.length === 0) return userTrials;
  const versions = new Set(admitted.map(versionOf));
  return userTrials.filter(({ server }) => versions.has(server));
}

/** Of servers of several versions the oldest, which has to start with the users, too; a replica rather than a primary. */
function judgeOf(admitted: readonly AnsweringServer[]): AnsweringServer | undefined {
  return admitted.toSorted(
    (one, other) =>
      byVersion.compare(versionOf(one), versionOf(other)) ||
      Number(isPrimary(one)) - Number(isPrimary(other)),
  )[0];
}

/** Redis before Valkey: the way that upgrades go. */
const byVersion = new Intl.Collator("en", { numeric: true });

function versionOf({ answer: { facts } }: AnsweringServer): string {
  return `${facts.software} ${facts.version}`;
}

function isPrimary({ answer: { facts } }: AnsweringServer): boolean {
  return facts.role === "primary";
}

/** Those that no server has refused. */
function triable({ credentials }: Observed, trials: Observed["userTrials"]): readonly UntriedUser[] {
  return credentials.untried.filter(
    ({ user, rules }) => !trials.some((trial) => trial.user === user && trial.rules === rules),
  );
}

/** The annotation has done its work when the change that it asked for is written down. */
function doneAsking({ instance, credentials }: Observed): CredentialPlan["actions"] {
  const value = instance.metadata.annotations?.[rotateAnnotation];
  if (value === undefined || !rotations.some((known) => known === value)) return [];
  if (isRefused({ instance, credentials })) return [];
  return [{ type: "clear annotation", annotation: rotateAnnotation, value }];
}

/** Clients' password cannot be changed by us: it is the user's. */
function isRefused({ instance, credentials }: Pick<Observed, "instance" | "credentials">): boolean {
  return instance.metadata.annotations?.[rotateAnnotation] === "client" && credentials.client === "none";
}

function askedInVain({ instance, credentials }: Observed): readonly Refusal[] {
  const value = instance.metadata.annotations?.[rotateAnnotation];
  if (value === undefined) return [];
  const field = `metadata.annotations["${rotateAnnotation}"]`;
  if (!rotations.some((known) => known === value))
    return [
      { field, message: `is ${JSON.stringify(value)}: client, system or all is what can be asked for` },
    ];
  if (!isRefused({ instance, credentials })) return [];
  const { secret } = passwordSource(instance);
  const message = instance.spec.auth.enabled
    ? `asks for another password of clients, but the Secret ${secret} is yours: change the password there, and the servers follow`
    : "asks for another password of clients, but spec.auth.enabled is false: there is none";
  return [{ field, message }];
}

/** What servers and Secrets say against users of the spec. */
function userTroubles(
  { instance, credentials }: Observed,
  trials: Observed["userTrials"],
): readonly Refusal[] {
  const refused = acceptableUsers(instance.spec.users).flatMap((user) => {
    const rules = aclRules(user);
    const trial = trials.find((one) => one.user === user.name && one.rules === rules);
    return trial === undefined
      ? []
      : [
          {
            field: fieldOf(user),
            message: `was refused by the server of ${trial.pod}: ${trial.words}; it stays as it was: correct it`,
          },
        ];
  });
  const missing = credentials.missing.map(({ user, secret, key }) => ({
    field: fieldOf({ name: user }, ".passwords"),
    message: `names the key ${key} of the Secret ${secret}, which is not there: make it, and the user gets it at once`,
  }));
  return [...refused, ...missing];
}
