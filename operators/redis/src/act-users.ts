import { acceptUsers } from "./act-system-secret.ts";
import type { ServerActing } from "./acting.ts";
import { aclUser, connect } from "./command-servers.ts";
import type { AcceptedUser } from "./credentials/credential-state.ts";
import { clientUser, markerPrefix, markerRules, userRules, usersMarker } from "./credentials/users-text.ts";
import { RedisFailure } from "./engine/failure.ts";
import { transact } from "./engine/transact.ts";
import type { SetUsers, TryUsers } from "./plan/credentials.ts";
import { systemContent } from "./system-secret.ts";
import { passwordHash, replicationUser, startUser, systemPassword } from "./users.ts";

/** A user that nobody can be, for a moment. */
const trialUser = "kedge-trial";

/**
 * Asks one server whether it takes the rules of users, and writes down those that it does: a rule that it does not take
 * must never come into an ACL file, with which no server would start.
 */
export async function tryUsers(
  { server: target, version, users }: TryUsers,
  acting: ServerActing,
): Promise<void> {
  const { context, instance, userTrials } = acting;
  const accepted: Record<string, AcceptedUser> = {};
  try {
    using server = connect(target, acting);
    for (const { user, rules } of users) {
      const [reply = null] = await server.call([
        ["ACL", "SETUSER", trialUser, "reset", "off", ...rules.split(" ")],
        ["ACL", "DELUSER", trialUser],
      ]);
      if (!(reply instanceof RedisFailure)) {
        const isEnabled = instance.spec.users?.find(({ name }) => name === user)?.enabled ?? true;
        accepted[user] = { isEnabled, rules };
      } else if (reply.code === "ERR") {
        const words = reply.message.replace(/^ERR (?:Error in ACL SETUSER modifier )?/u, "").trim();
        userTrials.refuse(instance.metadata, { user, rules, pod: target.pod, server: version, words });
      }
    }
  } catch (error) {
    if (!(error instanceof RedisFailure)) throw error;
    context.logger.info("A server could not be asked about users", { pod: target.pod, code: error.code });
  }
  if (Object.keys(accepted).length > 0) await acceptUsers(acting, accepted);
}

/**
 * Gives a server all users, with all passwords that are accepted now, and what it follows its primary with. Connections
 * of users who stay go on. The marker says that it has them all: it comes when it does.
 */
export async function setUsers({ server: target, users }: SetUsers, acting: ServerActing): Promise<void> {
  const { context, instance } = acting;
  const content = systemContent(context, instance);
  if (content === undefined) return;
  const { state, key, nextKey } = content;
  const marker = usersMarker(state);
  const keys = [key, ...(nextKey === undefined ? [] : [nextKey])];
  const markers = users.filter((user) => user.startsWith(markerPrefix) && user !== marker);
  const cut = Object.entries(state.users).filter(
    ([user, { isEnabled }]) => !isEnabled && users.includes(user),
  );
  try {
    using server = connect(target, acting);
    const before = await Promise.all(markers.map((name) => aclUser(server, name)));
    const former = new Set(before.flatMap(({ keys: names }) => names));
    const gone = users.filter((user) => former.has(user) && state.users[user] === undefined);
    const commands = [
      // A server whose clients need no password answers nobody else, unless it was told so when it started.
      ...(state.accounts[clientUser] === undefined ? [["CONFIG", "SET", "protected-mode", "no"]] : []),
      ...userRules(state)
        .filter(([user]) => user !== startUser)
        .map(([user, rules]) => ["ACL", "SETUSER", user, "reset", ...rules]),
      [
        "ACL",
        "SETUSER",
        target.as,
        "resetpass",
        ...keys.map((one) => `#${passwordHash(systemPassword(one, target.as))}`),
      ],
      ...(gone.length > 0 ? [["ACL", "DELUSER", ...gone]] : []),
      ["CONFIG", "SET", "masterauth", systemPassword(key, replicationUser)],
    ];
    // A server that has refused one of them is not said to have them all.
    await transact(server, commands, [
      ["ACL", "SETUSER", marker, "reset", ...markerRules(state)],
      ...(markers.length > 0 ? [["ACL", "DELUSER", ...markers]] : []),
      ["ACL", "SAVE"],
      ...cut.map(([user]) => ["CLIENT", "KILL", "USER", user]),
    ]);
  } catch (error) {
    if (!(error instanceof RedisFailure)) throw error;
    context.logger.info("A server has not taken its users yet", { pod: target.pod, code: error.code });
    return;
  }
  context.logger.info("Users set", { pod: target.pod, marker });
}
