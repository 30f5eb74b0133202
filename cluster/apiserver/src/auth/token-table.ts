import { headerOf } from "../response/responses.ts";
import type { User } from "../registry/types.ts";
import type { Authenticator } from "./types.ts";

/** Authenticates by a fixed table of bearer tokens. */
export function tokenTable(tokens: ReadonlyMap<string, User>): Authenticator {
  return (headers) => {
    const [, token] = /^Bearer (.*)$/iu.exec(headerOf(headers, "authorization")) ?? [];
    if (token === undefined) return Promise.resolve(undefined);
    return Promise.resolve(tokens.get(token) ?? "refused");
  };
}
