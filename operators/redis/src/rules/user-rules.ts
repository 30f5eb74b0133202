import type { DeepReadonly } from "@kedge/machinery";
import type { Refusal } from "@kedge/runtime";
import type { UserSpec } from "../user-fields.ts";

type User = DeepReadonly<UserSpec>;

/**
 * What is wrong with users by themselves. What only a server can know, such as the names of commands, it is asked about
 * before any user is changed.
 */
export function userRefusals(users: readonly User[] = []): readonly Refusal[] {
  return users.flatMap((user, at) => {
    const message = whyRefused(user, users.slice(0, at));
    return message === undefined ? [] : [{ field: fieldOf(user, message.part), message: message.text }];
  });
}

/** Those of which nothing is refused. */
export function acceptableUsers(users: readonly User[] = []): readonly User[] {
  return users.filter((user, at) => whyRefused(user, users.slice(0, at)) === undefined);
}

/** Where a user is in the spec, for people. */
export function fieldOf({ name }: Pick<User, "name">, part = ""): string {
  return `spec.users[${JSON.stringify(name)}]${part}`;
}

/** The words of an ACL rule that say what a user may do. */
export function aclRules({ commands, keys, readKeys, writeKeys, channels }: User): string {
  return [
    "resetchannels",
    "-@all",
    ...(commands ?? []),
    ...(keys ?? []).map((pattern) => `~${pattern}`),
    ...(readKeys ?? []).map((pattern) => `%R~${pattern}`),
    ...(writeKeys ?? []).map((pattern) => `%W~${pattern}`),
    ...(channels ?? []).map((pattern) => `&${pattern}`),
  ].join(" ");
}

interface Why {
  readonly part: string;
  readonly text: string;
}

function whyRefused(user: User, before: readonly User[]): Why | undefined {
  const { name, commands = [] } = user;
  if (!/^[A-Za-z0-9][A-Za-z0-9_.@-]*$/u.test(name))
    return {
      part: ".name",
      text: `is ${JSON.stringify(name)}: letters, digits and _ . @ - are all that a name may have`,
    };
  if (name === "default")
    return {
      part: ".name",
      text: "is default, the user of clients that do not say who they are, whose password is in the Secret <name>-auth: choose another name",
    };
  if (name.startsWith("kedge-"))
    return {
      part: ".name",
      text: `is ${name}, and names that begin with kedge- are the operator's: choose another one`,
    };
  if (before.some((other) => other.name === name))
    return { part: "", text: "is there twice: give each user another name, or take one of them away" };
  const command = commands.find((rule) => !/^[+-]@?[A-Za-z0-9._|-]+$/u.test(rule));
  if (command !== undefined)
    return {
      part: ".commands",
      text: `has ${JSON.stringify(command)}: a rule is + or -, then a command, command|subcommand or @category`,
    };
  for (const part of ["keys", "readKeys", "writeKeys", "channels"] as const) {
    const wrong = user[part]?.find((pattern) => /[\s\p{Cc}]/u.test(pattern));
    if (wrong !== undefined)
      return {
        part: `.${part}`,
        text: `has ${JSON.stringify(wrong)}: a pattern in an ACL cannot have blanks or line breaks; ? stands for any character`,
      };
  }
  return undefined;
}
