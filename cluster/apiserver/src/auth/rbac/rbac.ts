import { goQuote } from "@kedge/machinery";
import type { RoleRef } from "@kedge/machinery/kinds/rbac/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { ObjectReader, User } from "../../registry/types.ts";
import type { Attributes, Decision } from "../types.ts";
import { RoleIndex, type Grant } from "./role-index.ts";
import { ruleAllows, type Rule } from "./rule.ts";

/** What somebody may do in a namespace, as far as it could be found out. */
export interface UserRules {
  readonly rules: readonly Rule[];
  /** What could not: bindings to roles that are not there. */
  readonly error: string | undefined;
}

/** Role based access control: who may do what, by the roles and bindings that are stored. */
export class Rbac {
  readonly #index: RoleIndex;

  constructor(objects: ObjectReader) {
    this.#index = new RoleIndex(objects);
  }

  /** Begins to follow roles and bindings. */
  start(): void {
    this.#index.start();
  }

  stop(): void {
    this.#index.stop();
  }

  authorize(attributes: Attributes): Decision {
    const missing = new Set<string>();
    const namespace = attributes.resource?.namespace ?? "";
    for (const grant of this.#index.grantsOf(attributes.user, namespace)) {
      const rules = this.#index.rulesOf(grant.ref, grant.namespace);
      if (rules === undefined) missing.add(missingRole(grant.ref));
      else if (rules.some((rule) => ruleAllows(rule, attributes)))
        return { allowed: true, reason: `RBAC: allowed by ${describe(grant)}` };
    }
    return { allowed: false, ...(missing.size > 0 && { reason: `RBAC: ${together(missing)}` }) };
  }

  /** All rules of a user in a namespace. */
  rulesFor(user: User, namespace: string): UserRules {
    const missing = new Set<string>();
    const rules: Rule[] = [];
    for (const grant of this.#index.grantsOf(user, namespace)) {
      const found = this.#index.rulesOf(grant.ref, grant.namespace);
      if (found === undefined) missing.add(missingRole(grant.ref));
      else for (const rule of found) rules.push(rule);
    }
    return { rules, error: missing.size === 0 ? undefined : together(missing) };
  }

  /** The rules that a binding of a namespace to a role gives; undefined when there is no such role. */
  rulesOf(ref: Decoded<RoleRef>, namespace: string): readonly Rule[] | undefined {
    return this.#index.rulesOf(ref, namespace);
  }
}

function missingRole({ kind = "", name = "" }: Decoded<RoleRef>): string {
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${goQuote(name)} not found`;
}

/** As Go shows several errors. */
function together(texts: ReadonlySet<string>): string {
  const [first = "", ...others] = texts;
  return others.length === 0 ? first : `[${[first, ...others].join(", ")}]`;
}

function describe({ namespace, binding, ref, subject }: Grant): string {
  const isLocal = namespace !== "";
  const what = isLocal ? "RoleBinding" : "ClusterRoleBinding";
  const { kind = "", name = "", namespace: own = "" } = subject;
  const place = own === "" ? namespace : own;
  return (
    `${what} ${goQuote(isLocal ? `${binding}/${namespace}` : binding)}` +
    ` of ${ref.kind ?? ""} ${goQuote(ref.name ?? "")}` +
    ` to ${kind} ${goQuote(kind === "ServiceAccount" ? `${name}/${place}` : name)}`
  );
}
