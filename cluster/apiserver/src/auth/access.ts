import type { Clock, Random } from "@kedge/machinery";
import type { ObjectReader } from "../registry/types.ts";
import { headerOf } from "../request/header.ts";
import { Rbac } from "./rbac/rbac.ts";
import { ServiceAccountTokens } from "./tokens/service-account-tokens.ts";
import type { Authenticator, Authorizer } from "./types.ts";
import { privilegedGroup, unionOf } from "./union.ts";

/** Who is who and who may what, on one server. */
export interface Access {
  readonly rbac: Rbac;
  readonly authorizer: Authorizer;
  readonly authenticator: Authenticator;
  /** Undefined without a key to sign them with. */
  readonly tokens: ServiceAccountTokens | undefined;
}

/** What it is made of. */
export interface AccessOptions {
  readonly objects: ObjectReader;
  readonly clock: Clock;
  readonly random: Random;
  /** Signs the tokens of service accounts: a private key in PEM. */
  readonly serviceAccountKey: string | undefined;
}

/** Makes it; nobody has a role until `rbac` was started. */
export function createAccess({ serviceAccountKey: key, ...options }: AccessOptions): Access {
  const rbac = new Rbac(options.objects);
  const tokens = key === undefined ? undefined : new ServiceAccountTokens({ key, ...options });
  return {
    rbac,
    authorizer: unionOf([privilegedGroup, (attributes) => rbac.authorize(attributes)]),
    authenticator: (headers) => {
      const [, token] = /^bearer +(\S+) *$/iu.exec(headerOf(headers, "authorization")) ?? [];
      if (token === undefined) return undefined;
      return tokens?.holderOf(token).user ?? "refused";
    },
    tokens,
  };
}
