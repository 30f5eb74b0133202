import { everything, systemRules } from "../users.ts";
import { acceptedHashes } from "./accounts.ts";
import type { CredentialState } from "./credential-state.ts";

/** The user of clients, whom Redis takes whoever does not say who they are for. */
export const clientUser = "default";

/**
 * The user that nobody can be, whose name says which users a server has: those of this Secret, and how new they are. It
 * is on the server's volume with them (`specs/users-script.ts`), and the operator sees it whenever it looks. The keys that
 * it may touch are the names of the spec's users (`markerRules`): whoever comes after, with another Secret even, knows by
 * them which users were ours, and which somebody has made by hand.
 */
export function usersMarker({ id, generation }: Pick<CredentialState, "id" | "generation">): string {
  return `${markerPrefix}${id}-${generation}`;
}

/** The words of the marker's rules. */
export function markerRules({ users }: Pick<CredentialState, "users">): readonly string[] {
  return ["off", ...Object.keys(users).map((user) => `~${user}`)];
}

/** What the names of markers begin with. */
export const markerPrefix = "kedge-users-";

/** The users that every server has, as lines of an ACL file. */
export function usersText(state: CredentialState): string {
  const lines = [
    ...userRules(state).map(([user, rules]) => `user ${user} ${rules.join(" ")}`),
    `user ${usersMarker(state)} ${markerRules(state).join(" ")}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Each user, and the words of its rules. */
export function userRules({
  accounts,
  users,
}: CredentialState): readonly (readonly [user: string, rules: readonly string[]])[] {
  const hashesOf = (user: string): readonly string[] => {
    const account = accounts[user];
    return account === undefined ? [] : acceptedHashes(account).map((hash) => `#${hash}`);
  };
  const clients = accounts[clientUser] === undefined ? ["nopass"] : hashesOf(clientUser);
  return [
    [clientUser, ["on", ...clients, ...everything.split(" ")]],
    ...Object.entries(systemRules).map(
      ([user, rules]) => [user, ["on", ...hashesOf(user), ...rules.split(" ")]] as const,
    ),
    ...Object.entries(users).map(
      ([user, { isEnabled, rules }]) =>
        [user, [isEnabled ? "on" : "off", ...hashesOf(user), ...rules.split(" ")]] as const,
    ),
  ];
}
