import type { Clock, Random } from "@kedge/machinery";
import { ClusterRole } from "@kedge/machinery/kinds/rbac/v1";
import { decodedAs } from "../registry/decoded.ts";
import type { ObjectReader } from "../registry/types.ts";
import { headerOf } from "../request/header.ts";
import { nodeAuthorizer } from "./node/node-authorizer.ts";
import { NodeRelations } from "./node/node-relations.ts";
import { defaultPolicy } from "./rbac/bootstrap/default-policy.ts";
import { Rbac } from "./rbac/rbac.ts";
import type { Rule } from "./rbac/rule.ts";
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
  /** Begins to follow roles, bindings and pods. Until then only `system:masters` may do something. */
  start(): void;
  stop(): void;
}

/** What it is made of. */
export interface AccessOptions {
  readonly objects: ObjectReader;
  readonly clock: Clock;
  readonly random: Random;
  /** Signs the tokens of service accounts: a private key in PEM. */
  readonly serviceAccountKey: string | undefined;
}

/** Makes it. */
export function createAccess({ serviceAccountKey: key, ...options }: AccessOptions): Access {
  const rbac = new Rbac(options.objects);
  const relations = new NodeRelations(options.objects);
  const tokens = key === undefined ? undefined : new ServiceAccountTokens({ key, ...options });
  return {
    rbac,
    authorizer: unionOf([
      privilegedGroup,
      nodeAuthorizer(relations, nodeRules()),
      (attributes) => rbac.authorize(attributes),
    ]),
    authenticator: (headers) => {
      const [, token] = /^bearer +(\S+) *$/iu.exec(headerOf(headers, "authorization")) ?? [];
      if (token === undefined) return undefined;
      return tokens?.holderOf(token).user ?? "refused";
    },
    tokens,
    start: () => {
      rbac.start();
      relations.start();
    },
    stop: () => {
      rbac.stop();
      relations.stop();
    },
  };
}

/** Those of the role `system:node`, whatever became of it in the cluster; read when the first node asks. */
function nodeRules(): () => readonly Rule[] {
  let rules: readonly Rule[] | undefined;
  return () => {
    rules ??= defaultPolicy()
      .filter(({ kind, metadata }) => kind === ClusterRole.kind && metadata.name === "system:node")
      .flatMap((role) => decodedAs(ClusterRole, role).rules ?? []);
    return rules;
  };
}
