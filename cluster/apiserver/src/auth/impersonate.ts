import { badRequest, type ApiHeaders } from "@kedge/machinery";
import type { User } from "../registry/types.ts";
import { headerOf } from "../request/header.ts";
import { impersonationModes, type Mode } from "./impersonation-modes.ts";
import type { Attributes, Authorizer } from "./types.ts";

/** So many users' modes are remembered. */
const mostUsers = 1024;

/** Lets who may act as others. */
export class Impersonation {
  readonly #modes: readonly Mode[];
  /** By the user's name, the mode that let them last: it is asked first, and its refusal is the one that is told. */
  readonly #last = new Map<string, Mode>();

  constructor(authorizer: Authorizer) {
    this.#modes = impersonationModes(authorizer);
  }

  /**
   * The user that the sender of a request acts as: himself, unless headers name another and he may. `asked` is what he
   * would do if it were by himself. Throws a 403.
   */
  actingUser(asked: Attributes, headers: ApiHeaders): User {
    const wanted = wantedUser(headers);
    if (wanted === undefined) return asked.user;
    const { name } = asked.user;
    const last = this.#last.get(name);
    const others = this.#modes.filter((mode) => mode !== last);
    let refusal: unknown;
    for (const mode of last === undefined ? others : [last, ...others]) {
      try {
        const user = mode(wanted, asked);
        if (user === undefined) continue;
        this.#remember(name, mode);
        return user;
      } catch (error) {
        refusal ??= error;
      }
    }
    throw refusal;
  }

  #remember(name: string, mode: Mode): void {
    this.#last.delete(name);
    this.#last.set(name, mode);
    const [oldest] = this.#last.keys();
    if (this.#last.size > mostUsers && oldest !== undefined) this.#last.delete(oldest);
  }
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
