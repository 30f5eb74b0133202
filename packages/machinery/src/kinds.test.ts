import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { KeyIn, Kind, ObjectOf, Scope } from "./objects/kind.ts";
import { StatefulSet } from "./kinds/apps/v1.ts";
import type { Scale } from "./kinds/autoscaling/v1.ts";
import { SubjectAccessReview } from "./kinds/authorization/v1.ts";
import { Node, Pod, type Event, type Namespace } from "./kinds/core/v1.ts";
import type { EndpointSlice } from "./kinds/discovery/v1.ts";
import { builtinKinds } from "./kinds/index.ts";
import type { LabelSelector as SelectorOfKinds } from "./kinds/meta/v1.ts";
import { ClusterRole } from "./kinds/rbac/v1.ts";
import type { LabelSelector } from "./selectors/label-selector.ts";
import type { Draft, KubeObject, NamespacedMeta, ObjectMeta, StoredMeta } from "./objects/metadata.ts";

describe("all built-in kinds", () => {
  test("are those of Kubernetes 1.36: 17 of the core group, 78 of the others", () => {
    expect(builtinKinds.filter((kind) => kind.group === "")).toHaveLength(17);
    expect(builtinKinds).toHaveLength(17 + 78);
  });

  test.each(["kind", "plural"] as const)("have a %s that is unique in their group version", (field) => {
    const names = builtinKinds.map((kind) => `${kind.group}/${kind.version}/${kind[field]}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test("are exactly those that the files of the group versions export", async () => {
    const exported = await exportedDescriptors();
    expect(exported).toHaveLength(builtinKinds.length);
    expect(exported).toEqual(expect.arrayContaining([...builtinKinds]));
  });

  test("name the preferred version of a kind first", () => {
    expect(versionsOf("horizontalpodautoscalers")).toEqual(["v2", "v1"]);
    expect(versionsOf("resourceclaims")).toEqual(["v1", "v1beta2", "v1beta1"]);
  });
});

test.each<{ name: string; kind: Kind; descriptor: Kind }>([
  {
    name: "a namespaced kind with short names, categories and subresources",
    kind: StatefulSet,
    descriptor: {
      group: "apps",
      version: "v1",
      kind: "StatefulSet",
      plural: "statefulsets",
      singular: "statefulset",
      scope: "Namespaced",
      shortNames: ["sts"],
      categories: ["all"],
      subresources: ["scale", "status"],
    },
  },
  {
    name: "a kind of the core group",
    kind: Node,
    descriptor: {
      group: "",
      version: "v1",
      kind: "Node",
      plural: "nodes",
      singular: "node",
      scope: "Cluster",
      shortNames: ["no"],
      subresources: ["proxy", "status"],
    },
  },
  {
    name: "a kind whose folder is not named after its whole group",
    kind: ClusterRole,
    descriptor: {
      group: "rbac.authorization.k8s.io",
      version: "v1",
      kind: "ClusterRole",
      plural: "clusterroles",
      singular: "clusterrole",
      scope: "Cluster",
      subresources: [],
    },
  },
  {
    name: "a kind that can only be created",
    kind: SubjectAccessReview,
    descriptor: {
      group: "authorization.k8s.io",
      version: "v1",
      kind: "SubjectAccessReview",
      plural: "subjectaccessreviews",
      singular: "subjectaccessreview",
      scope: "Cluster",
      subresources: [],
    },
  },
])("$name is described in full", ({ kind, descriptor }) => {
  expect(kind).toEqual(descriptor);
});

// Checked by the compiler: a lost type is an error of `tsc`, not of the run.
describe("types", () => {
  test("a descriptor carries its object, scope and subresources to a client", () => {
    expectTypeOf<ObjectOf<typeof Pod>>().toEqualTypeOf<Pod>();
    expectTypeOf(clientOf(Pod)).toEqualTypeOf<
      ClientOf<
        Pod,
        "Namespaced",
        | "attach"
        | "binding"
        | "ephemeralcontainers"
        | "eviction"
        | "exec"
        | "log"
        | "portforward"
        | "proxy"
        | "resize"
        | "status"
      >
    >();
    expectTypeOf(clientOf(ClusterRole)).toEqualTypeOf<ClientOf<ClusterRole, "Cluster", never>>();
    expectTypeOf(clientOf(SubjectAccessReview)).toEqualTypeOf<
      ClientOf<SubjectAccessReview, "Cluster", never>
    >();
  });

  test("metadata tells what is stored, and where", () => {
    expectTypeOf<Pod["metadata"]>().toEqualTypeOf<NamespacedMeta>();
    expectTypeOf<ClusterRole["metadata"]>().toEqualTypeOf<StoredMeta>();
    expectTypeOf<SubjectAccessReview["metadata"]>().toEqualTypeOf<ObjectMeta>();
    expectTypeOf<Scale["metadata"]>().toEqualTypeOf<ObjectMeta>();
  });

  test("readers are promised what servers always answer", () => {
    expectTypeOf<Pod["spec"]["containers"][number]["name"]>().toEqualTypeOf<string>();
    expectTypeOf<Pod>().toHaveProperty("status").extract<undefined>().toEqualTypeOf<undefined>();
    expectTypeOf<SubjectAccessReview["status"]["allowed"]>().toEqualTypeOf<boolean>();
    expectTypeOf<Event>().toHaveProperty("eventTime").toEqualTypeOf<string | null | undefined>();
    expectTypeOf<EndpointSlice>().toHaveProperty("endpoints").extract<null>().toEqualTypeOf<null>();
  });

  test("selectors in objects are what our selector code takes", () => {
    expectTypeOf<SelectorOfKinds>().toExtend<LabelSelector>();
    expectTypeOf<StatefulSet["spec"]["selector"]>().toEqualTypeOf<SelectorOfKinds>();
  });

  test("writers need not write what servers fill in", () => {
    expectTypeOf({ metadata: { name: "shop" } }).toExtend<Draft<Namespace>>();
    const claim = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } };
    const set = {
      metadata: { name: "redis" },
      spec: {
        serviceName: "redis",
        selector: { matchLabels: { app: "redis" } },
        template: { metadata: { labels: { app: "redis" } }, spec: { containers: [{ name: "redis" }] } },
        volumeClaimTemplates: [claim],
      },
    };
    expectTypeOf(set).toExtend<Draft<StatefulSet>>();
    expectTypeOf<{ metadata: { name: string } }>().not.toExtend<Draft<Pod>>();
  });
});

interface ClientOf<T, S extends Scope, Sub extends string> {
  get(key: KeyIn<S>): T;
  create(object: Draft<T>): T;
  subresource(name: Sub): void;
}

/** How a client takes a descriptor; a stand-in for type inference only. */
function clientOf<T extends KubeObject, S extends Scope, Sub extends string>(
  _kind: Kind<T, S, Sub>,
): ClientOf<T, S, Sub> {
  return { get: refuse, create: refuse, subresource: refuse };
}

function refuse(): never {
  throw new Error("not meant to be called");
}

function versionsOf(plural: string): readonly string[] {
  return builtinKinds.filter((kind) => kind.plural === plural).map((kind) => kind.version);
}

async function exportedDescriptors(): Promise<readonly unknown[]> {
  const directory = join(import.meta.dirname, "kinds");
  const files = await readdir(directory, { recursive: true });
  const modules = await Promise.all(
    files
      .filter((file) => file.endsWith(".ts") && file !== "index.ts")
      .map(async (file) => {
        const module: unknown = await import(join(directory, file));
        return typeof module === "object" ? Object.values<unknown>({ ...module }) : [];
      }),
  );
  return modules.flat();
}
