import type { Kind } from "@kedge/machinery";
import {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  type RoleRef,
  type Subject,
} from "@kedge/machinery/kinds/rbac/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { ObjectReader, StoredApiObject, User } from "../../registry/types.ts";
import { userOfAccount } from "../service-account-user.ts";
import type { Rule } from "./rule.ts";

/** A binding, as one of its subjects has it. */
export interface Grant {
  /** Where it holds; empty for a ClusterRoleBinding: everywhere. */
  readonly namespace: string;
  readonly binding: string;
  readonly ref: Decoded<RoleRef>;
  readonly subject: Decoded<Subject>;
}

/**
 * All roles and bindings, in the form in which requests ask for them: what a user has is found without looking at what
 * others have. It is as new as every write that was answered, for it hears of each before the answer.
 */
export class RoleIndex {
  readonly #objects: ObjectReader;
  /** By `roleKey`. */
  readonly #roles = new Map<string, readonly Rule[]>();
  /** By namespace and subject, then by name of the binding. */
  readonly #grants = new Map<string, Map<string, Grant>>();
  #stops: readonly (() => void)[] | undefined;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  /** Begins to follow the objects. Until then nobody has a role. */
  start(): void {
    this.#stops ??= [
      this.#follow(Role, (role, isThere) => this.#setRole("Role", role, isThere)),
      this.#follow(ClusterRole, (role, isThere) => this.#setRole("ClusterRole", role, isThere)),
      this.#follow(RoleBinding, (binding, isThere) => this.#setBinding(binding, isThere)),
      this.#follow(ClusterRoleBinding, (binding, isThere) => this.#setBinding(binding, isThere)),
    ];
  }

  stop(): void {
    for (const stop of this.#stops ?? []) stop();
    this.#stops = undefined;
  }

  /** What a user was given, everywhere and in a namespace: each binding once, by the first subject that is the user. */
  *grantsOf({ name, groups }: User, namespace: string): Generator<Grant> {
    const subjects = [userSubject(name), ...groups.map(groupSubject)];
    for (const place of namespace === "" ? [""] : ["", namespace]) {
      const seen = new Set<string>();
      for (const subject of subjects) {
        for (const grant of this.#grants.get(placed(place, subject))?.values() ?? []) {
          if (seen.has(grant.binding)) continue;
          seen.add(grant.binding);
          yield grant;
        }
      }
    }
  }

  /** The rules of the role that a binding of a namespace refers to; undefined when there is no such role. */
  rulesOf({ kind = "", name = "" }: Decoded<RoleRef>, namespace: string): readonly Rule[] | undefined {
    return this.#roles.get(roleKey(kind, kind === "Role" ? namespace : "", name));
  }

  #follow<T>(kind: Kind<T>, set: (object: Decoded<T>, isThere: boolean) => void): () => void {
    const { registry } = this.#objects;
    const resource = registry.byKind(kind.group, kind.kind, kind.version);
    if (resource === undefined) return () => undefined;
    const take = (object: StoredApiObject, isThere: boolean): void => set(decodedAs(kind, object), isThere);
    for (const object of this.#objects.list(resource)) take(object, true);
    return this.#objects.onChange(resource, (change) => {
      if (change.type === "stored" && change.previous !== undefined) take(change.previous, false);
      take(change.object, change.type === "stored");
    });
  }

  #setRole(kind: string, { metadata, rules }: Decoded<Role>, isThere: boolean): void {
    const key = roleKey(kind, metadata?.namespace ?? "", metadata?.name ?? "");
    if (isThere) this.#roles.set(key, rules ?? []);
    else this.#roles.delete(key);
  }

  #setBinding(
    { metadata, roleRef = {}, subjects }: Decoded<RoleBinding> | Decoded<ClusterRoleBinding>,
    isThere: boolean,
  ): void {
    const { name: binding = "", namespace = "" } = { ...metadata } as Decoded<RoleBinding["metadata"]>;
    for (const subject of subjects ?? []) {
      const key = subjectKey(subject, namespace);
      if (key === undefined) continue;
      const place = placed(namespace, key);
      const grants = this.#grants.get(place) ?? new Map<string, Grant>();
      if (!isThere) grants.delete(binding);
      else if (!grants.has(binding)) grants.set(binding, { namespace, binding, ref: roleRef, subject });
      if (grants.size === 0) this.#grants.delete(place);
      else this.#grants.set(place, grants);
    }
  }
}

function roleKey(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

function placed(namespace: string, subject: string): string {
  return `${namespace}/${subject}`;
}

function subjectKey({ kind, name = "", namespace = "" }: Decoded<Subject>, own: string): string | undefined {
  switch (kind) {
    case "User":
      return userSubject(name);
    case "Group":
      return groupSubject(name);
    case "ServiceAccount": {
      const place = namespace === "" ? own : namespace;
      return place === "" ? undefined : userSubject(userOfAccount({ namespace: place, name }));
    }
    default:
      return undefined;
  }
}

function userSubject(name: string): string {
  return `User/${name}`;
}

function groupSubject(name: string): string {
  return `Group/${name}`;
}
