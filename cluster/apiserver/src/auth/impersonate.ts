import { badRequest, type ApiHeaders } from "@kedge/machinery";
import type { User } from "../registry/types.ts";
import { headerOf } from "../request/header.ts";
import { authorizeAttributes } from "./authorize.ts";
import type { Attributes, Authorizer } from "./types.ts";

/** The user that the sender of a request acts as: himself, unless headers name another and he may. Throws a 403. */
export async function impersonate(authorizer: Authorizer, user: User, headers: ApiHeaders): Promise<User> {
  const wanted = wantedUser(headers);
  if (wanted === undefined) return user;
  for (const resource of demands(wanted)) {
    await authorizeAttributes(authorizer, { user, verb: "impersonate", path: "", resource });
  }
  return withImpliedGroups(wanted);
}

function wantedUser(headers: ApiHeaders): User | undefined {
  const name = headerOf(headers, "impersonate-user");
  const groups = valuesOf(headers, "impersonate-group");
  const uid = headerOf(headers, "impersonate-uid");
  const extra = extraOf(headers);
  if (name !== "")
    return { name, groups, ...(uid !== "" && { uid }), ...(Object.keys(extra).length > 0 && { extra }) };
  if (groups.length === 0 && uid === "" && Object.keys(extra).length === 0) return undefined;
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goList(groups)}, Extra:${goExtra(extra)}} without impersonating a user name`,
  );
}

/** As Go's `%#v` prints it. */
function goList(values: readonly string[]): string {
  return values.length === 0
    ? "[]string(nil)"
    : `[]string{${values.map((value) => JSON.stringify(value)).join(", ")}}`;
}

function goExtra(extra: Readonly<Record<string, readonly string[]>>): string {
  const entries = Object.entries(extra).map(([key, values]) => `${JSON.stringify(key)}:${goList(values)}`);
  return entries.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${entries.join(", ")}}`;
}

function valuesOf(headers: ApiHeaders, name: string): readonly string[] {
  return [headers[name] ?? []]
    .flat()
    .flatMap((value) => value.split(/,\s*/u))
    .filter((value) => value !== "");
}

const extraPrefix = "impersonate-extra-";

function extraOf(headers: ApiHeaders): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(headers).filter((name) => name.startsWith(extraPrefix));
  return Object.fromEntries(
    names.map((name) => [decode(name.slice(extraPrefix.length)), [headers[name] ?? []].flat()]),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    throw badRequest(`the header ${extraPrefix}${text} is not encoded as a URL`);
  }
}

const account = /^system:serviceaccount:([^:]+):([^:]+)$/u;

/** What the sender needs the verb `impersonate` for. */
function demands({ name, groups, uid, extra = {} }: User): NonNullable<Attributes["resource"]>[] {
  const [, namespace, accountName] = account.exec(name) ?? [];
  const authentication = { group: "authentication.k8s.io" };
  return [
    namespace !== undefined && accountName !== undefined
      ? of("serviceaccounts", accountName, { namespace })
      : of("users", name),
    ...groups.map((group) => of("groups", group)),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => of("userextras", value, { ...authentication, subresource: key })),
    ),
    ...(uid === undefined ? [] : [of("uids", uid, authentication)]),
  ];
}

function of(
  plural: string,
  name: string,
  more: { readonly group?: string; readonly subresource?: string; readonly namespace?: string } = {},
): NonNullable<Attributes["resource"]> {
  return { group: "", version: "v1", plural, subresource: "", namespace: "", name, ...more };
}

/** Groups that follow from the name. */
function withImpliedGroups(user: User): User {
  const [, namespace] = account.exec(user.name) ?? [];
  const accounts =
    namespace !== undefined && user.groups.length === 0
      ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
      : [];
  const groups = [...user.groups, ...accounts];
  const implied = user.name === "system:anonymous" ? "system:unauthenticated" : "system:authenticated";
  const has = groups.includes("system:authenticated") || groups.includes("system:unauthenticated");
  return { ...user, groups: has ? groups : [...groups, implied] };
}
