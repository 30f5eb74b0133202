import { validateDns1123Subdomain } from "@kedge/machinery";
import type { User } from "../registry/types.ts";
import { authorize, refusal } from "./authorize.ts";
import { accountOf, groupsOfAccount } from "./service-account-user.ts";
import type { Attributes, Authorizer } from "./types.ts";

/**
 * A way to be allowed to act as somebody. Gives the user, with the groups that follow from the name; undefined when it
 * is not for such users. Throws a 403.
 */
export type Mode = (wanted: User, asked: Attributes) => User | undefined;

/**
 * Kubernetes' modes of impersonation, in the order in which they are asked. All but the last need two rights: the verb
 * `impersonate:<mode>` on the user, and `impersonate-on:<mode>:<verb>` on what is to be done as that user. The last is
 * the verb `impersonate` of old, which allows everything that the other user may.
 */
export function impersonationModes(authorizer: Authorizer): readonly Mode[] {
  const constrained = (name: string, isFor: (wanted: User, sender: User) => boolean): Mode => {
    const check = new Check(authorizer, `impersonate:${name}`);
    return (wanted, asked) => {
      if (!isFor(wanted, asked.user)) return undefined;
      authorize(authorizer, { ...asked, verb: `impersonate-on:${name}:${asked.verb}` });
      return check.user(wanted, asked.user);
    };
  };
  const legacy = new Check(authorizer, "impersonate");
  return [
    constrained("associated-node", (wanted, sender) => onlyName(wanted) && isOnNode(sender, wanted.name)),
    constrained("arbitrary-node", (wanted) => onlyName(wanted) && nodeOf(wanted.name) !== undefined),
    constrained("serviceaccount", (wanted) => onlyName(wanted) && accountOf(wanted.name) !== undefined),
    constrained("user-info", ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined),
    (wanted, { user }) => legacy.user(wanted, user),
  ];
}

function onlyName({ groups, uid, extra }: User): boolean {
  return groups.length === 0 && uid === undefined && extra === undefined;
}

type Resource = NonNullable<Attributes["resource"]>;

const authentication = "authentication.k8s.io";

/** From so many groups or values on, the right to all of them is asked for first. */
const many = 4;

/** Whether somebody may act as a user, by one verb. */
class Check {
  readonly #authorizer: Authorizer;
  readonly #verb: string;
  readonly #isConstrained: boolean;

  constructor(authorizer: Authorizer, verb: string) {
    this.#authorizer = authorizer;
    this.#verb = verb;
    this.#isConstrained = verb !== "impersonate";
  }

  user(wanted: User, sender: User): User {
    const groups = this.#checkName(wanted, sender);
    if (wanted.uid !== undefined) this.#check(sender, of(authentication, "uids", wanted.uid));
    this.#checkGroups(wanted.groups, sender);
    this.#checkExtra(wanted.extra ?? {}, sender);
    const implied = wanted.name === "system:anonymous" ? "system:unauthenticated" : "system:authenticated";
    const has = groups.includes(implied) || groups.includes("system:unauthenticated");
    return { ...wanted, groups: has ? groups : [...groups, implied] };
  }

  /** Gives the groups. */
  #checkName({ name, groups }: User, sender: User): readonly string[] {
    const group = this.#isConstrained ? authentication : "";
    const node = this.#isConstrained ? nodeOf(name) : undefined;
    if (node !== undefined) {
      // The right to be the node of one's own is that to be any node where one may run.
      const asked = this.#verb === "impersonate:associated-node" ? "*" : node;
      this.#check(sender, of(group, "nodes", asked));
      return ["system:nodes"];
    }
    const account = accountOf(name);
    if (account === undefined) {
      this.#check(sender, of(group, "users", name));
      return groups;
    }
    this.#check(sender, { ...of(group, "serviceaccounts", account.name), namespace: account.namespace });
    return groups.length === 0 ? groupsOfAccount(account.namespace) : groups;
  }

  #checkGroups(groups: readonly string[], sender: User): void {
    const resource = of(this.#isConstrained ? authentication : "", "groups", "");
    if (this.#isConstrained) {
      if (groups.includes("system:masters")) {
        const masters = { ...resource, name: "system:masters" };
        throw this.#refusal(sender, masters, "impersonating the system:masters group is not allowed");
      }
      if (groups.length >= many && this.#may(sender, { ...resource, name: "*" })) return;
    }
    for (const name of groups) this.#check(sender, { ...resource, name });
  }

  #checkExtra(extra: Readonly<Record<string, readonly string[]>>, sender: User): void {
    const resource = of(authentication, "userextras", "");
    const values = Object.entries(extra).flatMap(([subresource, each]) =>
      each.map((name) => ({ ...resource, subresource, name })),
    );
    if (this.#isConstrained) {
      if (values.some(({ name }) => name === "")) {
        const why = "impersonating the empty string value in extra is not allowed";
        throw this.#refusal(sender, resource, why);
      }
      if (values.length >= many && this.#may(sender, { ...resource, subresource: "*", name: "*" })) return;
    }
    for (const each of values) this.#check(sender, each);
  }

  #check(user: User, resource: Resource): void {
    authorize(this.#authorizer, { user, verb: this.#verb, path: "", resource });
  }

  #may(user: User, resource: Resource): boolean {
    return this.#authorizer({ user, verb: this.#verb, path: "", resource }).allowed;
  }

  #refusal(user: User, resource: Resource, why: string): Error {
    return refusal({ user, verb: this.#verb, path: "", resource }, why);
  }
}

function of(group: string, plural: string, name: string): Resource {
  return { group, version: "v1", plural, subresource: "", namespace: "", name };
}

const nodePrefix = "system:node:";

/** The name of the node that a user is, if it is one. */
function nodeOf(user: string): string | undefined {
  if (!user.startsWith(nodePrefix)) return undefined;
  const name = user.slice(nodePrefix.length);
  return validateDns1123Subdomain(name).length === 0 ? name : undefined;
}

/** Whether a service account's token is bound to a pod on this node. */
function isOnNode({ name, extra }: User, node: string): boolean {
  const [bound, ...more] = extra?.["authentication.kubernetes.io/node-name"] ?? [];
  return accountOf(name) !== undefined && more.length === 0 && bound !== undefined && bound === nodeOf(node);
}
