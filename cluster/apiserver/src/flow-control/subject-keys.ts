import type { Subject } from "@kedge/machinery/kinds/flowcontrol/v1";
import { userOfAccount } from "../auth/service-account-user.ts";
import type { Decoded } from "../registry/decoded.ts";
import type { User } from "../registry/types.ts";

/** By what a subject of a FlowSchema is looked up; undefined when nobody is meant. */
export function subjectKey({ kind, user, group, serviceAccount }: Decoded<Subject>): string | undefined {
  if (kind === "User" && user?.name !== undefined) return userKey(user.name);
  if (kind === "Group" && group?.name !== undefined) return groupKey(group.name);
  if (kind !== "ServiceAccount" || serviceAccount === undefined) return undefined;
  const { namespace = "", name = "" } = serviceAccount;
  return name === "*" ? accountsKey(namespace) : userKey(userOfAccount({ namespace, name }));
}

/** All keys under which there may be rules for a user. */
export function* keysOf({ name, groups }: User): Generator<string> {
  yield userKey(name);
  yield userKey("*");
  yield groupKey("*");
  for (const group of groups) yield groupKey(group);
  const [, namespace] = accountName.exec(name) ?? [];
  if (namespace !== undefined) yield accountsKey(namespace);
}

const accountName = /^system:serviceaccount:([^:]*):/u;

function userKey(name: string): string {
  return `User/${name}`;
}

function groupKey(name: string): string {
  return `Group/${name}`;
}

/** All service accounts of a namespace. */
function accountsKey(namespace: string): string {
  return `Accounts/${namespace}`;
}
