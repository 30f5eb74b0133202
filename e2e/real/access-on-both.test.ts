import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import {
  realClock as clock,
  realRandom as random,
  seededRandom,
  type ObjectMeta,
  type Random,
} from "@kedge/machinery";
import { Namespace } from "@kedge/machinery/kinds/core/v1";
import { SubjectAccessReview, type SubjectAccessReviewSpec } from "@kedge/machinery/kinds/authorization/v1";
import {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  type PolicyRule,
  type Subject,
} from "@kedge/machinery/kinds/rbac/v1";
import { createMemoryStore } from "@kedge/store";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startOracle, type Oracle } from "./oracle.ts";

let oracle: Oracle;
let ours: Client;
let stop: () => Promise<void>;

beforeAll(async () => {
  oracle = await startOracle();
  const store = createMemoryStore({ clock });
  const server = createApiServer({ store, clock, random });
  await server.start();
  const { handle, upgrade } = server.doorFor({ name: "admin", groups: ["system:masters"] });
  ours = new Client(inProcessTransport(handle, upgrade));
  stop = async () => {
    await ours.close();
    await server.close();
    await store.close();
    await oracle.stop();
  };
});

afterAll(async () => {
  await stop();
});

it.each([
  ["cluster roles", (client: Client) => client.of(ClusterRole).list().all()],
  ["cluster role bindings", (client: Client) => client.of(ClusterRoleBinding).list().all()],
  ["roles", (client: Client) => client.of(Role).list().all()],
  ["role bindings", (client: Client) => client.of(RoleBinding).list().all()],
])("both have the same %s from the start", async (_name, list) => {
  const listed = async (client: Client): Promise<readonly unknown[]> => {
    const { items } = await list(client);
    return items.map(({ metadata, ...object }) => {
      const { name, namespace, labels, annotations, managedFields = [] }: ObjectMeta = metadata;
      const managers = managedFields.map(({ manager, fieldsV1 }) => ({ manager, fieldsV1 }));
      return { ...object, of: { name, namespace, labels, annotations }, managers };
    });
  };
  const expected = await listed(oracle.admin);
  expect(expected.length).toBeGreaterThan(5);
  expect(await listed(ours)).toEqual(expected);
});

it("both let the same users do the same, in 500 cases that were made up", async () => {
  const made = new Rights(seededRandom("rights"));
  for (const client of [oracle.admin, ours]) {
    for (const name of made.namespaces) await client.of(Namespace).create({ metadata: { name } });
    for (const role of made.clusterRoles) await client.of(ClusterRole).create(role);
    for (const role of made.roles) await client.of(Role).create(role);
    for (const binding of made.clusterRoleBindings) await client.of(ClusterRoleBinding).create(binding);
    for (const binding of made.roleBindings) await client.of(RoleBinding).create(binding);
  }
  const asked = Array.from({ length: 500 }, () => made.question());
  const answers = async (client: Client): Promise<readonly boolean[]> => {
    const all: boolean[] = [];
    for (const spec of asked)
      all.push((await client.of(SubjectAccessReview).create({ spec })).status.allowed);
    return all;
  };
  const own = await answers(ours);
  expect(own.filter(Boolean).length).toBeGreaterThan(100);
  expect(own.filter((allowed) => !allowed).length).toBeGreaterThan(100);
  // The real server learns of roles a little later.
  await expect.poll(() => answers(oracle.admin)).toEqual(own);
});

const group = "rbac.authorization.k8s.io";

/** Roles, bindings and questions about them, all made of few words, so that many match. */
class Rights {
  readonly namespaces = ["rights-a", "rights-b"];
  readonly clusterRoles: readonly { metadata: { name: string }; rules: PolicyRule[] }[];
  readonly roles: readonly { metadata: { name: string; namespace: string }; rules: PolicyRule[] }[];
  readonly clusterRoleBindings;
  readonly roleBindings;
  readonly #random: Random;

  constructor(from: Random) {
    this.#random = from;
    const numbers = Array.from({ length: 8 }, (_, index) => index);
    this.clusterRoles = numbers.map((number) => ({
      metadata: { name: `rights-${number}` },
      rules: [...this.#rules(), { verbs: this.#some(verbs), nonResourceURLs: this.#some(urls) }],
    }));
    this.roles = numbers.map((number) => ({
      metadata: { name: `role-${number % 4}`, namespace: this.namespaces[number >> 2] ?? "" },
      rules: this.#rules(),
    }));
    this.clusterRoleBindings = numbers.slice(0, 3).map((number) => ({
      metadata: { name: `rights-${number}` },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: `rights-${number}` },
      subjects: this.#subjects(),
    }));
    this.roleBindings = numbers.map((number) => ({
      metadata: { name: `binding-${number}`, namespace: this.#one(this.namespaces) },
      roleRef:
        number < 4
          ? { apiGroup: group, kind: "ClusterRole", name: `rights-${number + 3}` }
          : { apiGroup: group, kind: "Role", name: `role-${number % 5}` },
      subjects: this.#subjects(),
    }));
  }

  question(): SubjectAccessReviewSpec {
    const user = this.#one(users);
    const groups = this.#random.int(2) === 0 ? [] : [this.#one(groupNames)];
    if (this.#random.int(5) === 0) {
      return { user, groups, nonResourceAttributes: { path: this.#one(paths), verb: this.#one(verbs) } };
    }
    const [resource = "", subresource = ""] = this.#one(
      resources.filter((name) => !name.includes("*")),
    ).split("/");
    return {
      user,
      groups,
      resourceAttributes: {
        namespace: this.#one(["", ...this.namespaces, ...this.namespaces]),
        group: this.#one(groupsOfApi.slice(1)),
        resource,
        subresource,
        name: this.#one(["", ...objects]),
        verb: this.#one(verbs.slice(1)),
      },
    };
  }

  #rules(): PolicyRule[] {
    return Array.from({ length: 1 + this.#random.int(3) }, () => ({
      verbs: this.#some(verbs),
      apiGroups: this.#some(groupsOfApi),
      resources: this.#some(resources),
      ...(this.#random.int(3) === 0 && { resourceNames: this.#some(objects) }),
    }));
  }

  #subjects(): Subject[] {
    const [namespace = ""] = this.namespaces;
    return [
      { kind: "User", apiGroup: group, name: this.#one(users) },
      ...(this.#random.int(2) === 0
        ? [{ kind: "Group", apiGroup: group, name: this.#one(groupNames) }]
        : [{ kind: "ServiceAccount", name: "robot", namespace }]),
    ];
  }

  #one<T>(values: readonly T[]): T {
    const value = values[this.#random.int(values.length)];
    if (value === undefined) throw new Error("one of nothing");
    return value;
  }

  #some<T>(values: readonly T[]): T[] {
    return Array.from({ length: 1 + this.#random.int(2) }, () => this.#one(values));
  }
}

const verbs = ["*", "get", "list", "delete", "create"];
const groupsOfApi = ["*", "", "apps", "example.com"];
const resources = [
  "*",
  "*/status",
  "*/scale",
  "pods",
  "pods/log",
  "deployments",
  "deployments/scale",
  "deployments/status",
];
const objects = ["x", "y"];
const urls = ["*", "/metrics", "/logs/*", "/a*"];
const paths = ["/metrics", "/logs", "/logs/a", "/a", "/ab", "/b"];
const users = ["jane", "bob", "system:serviceaccount:rights-a:robot"];
const groupNames = ["dev", "system:serviceaccounts:rights-a"];
