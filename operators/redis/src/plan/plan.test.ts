import { describe, expect, it } from "vitest";
import { controllerReference, resourceVersion, uid } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { actionText, appliedIn, deleteChild } from "@kedge/runtime";
import type { Observed } from "../observe.ts";
import { instanceOf, observedOf, podOf, rolledOut, statefulSetFor } from "../testing/builders.ts";
import { planInstance } from "./plan.ts";
import type { InstancePlan } from "./types.ts";

const stored = {
  namespace: "shop",
  resourceVersion: resourceVersion("7"),
  creationTimestamp: "2026-11-16T00:00:00Z",
};
const deleting = { deletionTimestamp: "2026-11-16T01:00:00Z" };

function claim(name: string, more: object = {}, spec: object = {}) {
  const metadata = { ...stored, name, uid: uid(name), ...more };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec };
}

describe("the plan for an instance", () => {
  const children = [
    "apply Service cache",
    "apply ConfigMap cache",
    expect.stringMatching(/^apply ConfigMap cache-config-/u) as string,
    "apply ConfigMap cache.peers",
    "apply Service cache-headless",
    "apply Service cache-replicas",
    "apply StatefulSet cache",
  ];

  it.each([
    ["missing", true, ["create password", "take epoch", ...children]],
    ["new", true, ["adopt password", "take epoch", ...children]],
    ["deleted", true, ["restore password", "take epoch", ...children]],
    ["there", true, ["take epoch", ...children]],
    ["missing", false, ["take epoch", ...children]],
    ["changed", false, ["take epoch", ...children]],
  ] as const)("makes the children; password %s, auth %s", (password, enabled, expected) => {
    const plan = planInstance(observedOf(instanceOf({ auth: { enabled } }), { password }));
    expect(plan.actions.map((action) => actionText(action))).toEqual(expected);
    expect(plan.refusals).toEqual([]);
  });

  const budget = { kind: PodDisruptionBudget, metadata: { ...stored, name: "cache", uid: uid("budget") } };
  it.each([
    ["is made for replicas", 2, [], ["apply PodDisruptionBudget cache"]],
    ["is kept", 2, [budget], ["apply PodDisruptionBudget cache"]],
    ["goes with them", 1, [budget], ["delete PodDisruptionBudget cache"]],
    ["is none of a single server's", 1, [], []],
  ] as const)("a disruption budget %s", (_what, replicas, extras, expected) => {
    const { actions } = planInstance(
      observedOf(instanceOf({ replicas }), { extras: { children: extras, unserved: [] } }),
    );
    const texts = actions.map((action) => actionText(action));
    expect(texts.filter((text) => text.includes("Budget"))).toEqual(expected);
  });

  it.each([
    ["made when it is asked for", true, [], [], ["apply NetworkPolicy cache"], []],
    ["deleted when it is not", false, [], ["child"], ["delete NetworkPolicy cache"], []],
    ["refused where there is no such kind", true, ["NetworkPolicy"], [], [], ["spec.networkPolicy.enabled"]],
  ])("a network policy is %s", (_what, enabled, unserved, present, expected, fields) => {
    const there = present.map(() => ({
      kind: NetworkPolicy,
      metadata: { ...stored, name: "cache", uid: uid("policy") },
    }));
    const plan = planInstance(
      observedOf(instanceOf({ networkPolicy: { enabled } }), { extras: { children: there, unserved } }),
    );
    const texts = plan.actions.map((action) => actionText(action));
    expect(texts.filter((text) => text.includes("NetworkPolicy"))).toEqual(expected);
    expect(plan.refusals?.map(({ field }) => field)).toEqual(fields);
  });

  it.each([
    ["the exporters", StatefulSet, "cache-metrics", ["delete StatefulSet cache-metrics"]],
    ["a StatefulSet of another name", StatefulSet, "cache-archive", []],
    ["the servers, whatever their labels say", StatefulSet, "cache", []],
    ["the Service of metrics", Service, "cache-metrics", ["delete Service cache-metrics"]],
    ["the Service of the primary", Service, "cache", []],
    ["the dashboard", ConfigMap, "cache-dashboard", ["delete ConfigMap cache-dashboard"]],
    ["another ConfigMap", ConfigMap, "cache-notes", []],
    ["another disruption budget", PodDisruptionBudget, "cache-mine", []],
  ] as const)(
    "of parts that are not asked for, deletes only what it makes: %s",
    (_what, kind, name, gone) => {
      const parts = [{ kind, metadata: { ...stored, name, uid: uid(name) } }];
      const { actions } = planInstance(
        observedOf(instanceOf(), { extras: { children: parts, unserved: [] } }),
      );
      const texts = actions.map((action) => actionText(action));
      expect(texts.filter((text) => text.startsWith("delete"))).toEqual(gone);
    },
  );

  it.each([
    ["stale", ["write binding"]],
    ["there", []],
    ["none", []],
  ] as const)("writes the Secret of applications when it is %s", (binding, expected) => {
    const { actions } = planInstance(observedOf(instanceOf(), { binding }));
    const texts = actions.map((action) => actionText(action));
    expect(texts.filter((text) => text === "write binding")).toEqual(expected);
  });

  it("replaces pods when somebody asks for a restart", () => {
    const annotations = { "redis.github.com/restarted-at": "2026-11-17T02:00:00Z" };
    const [set] = appliedIn(
      planInstance(observedOf(instanceOf({}, { metadata: { annotations } }))),
      StatefulSet,
    );
    expect(set?.spec?.template?.metadata?.annotations).toMatchObject(annotations);
  });

  it("changes nothing while it is suspended, and says what it would refuse", () => {
    const plan = planInstance(
      observedOf(instanceOf({ suspend: true, podMetadata: { labels: { app: "x" } } })),
    );
    expect(plan.actions).toEqual([]);
    expect(plan.refusals?.map(({ field }) => field)).toEqual(['spec.podMetadata.labels["app"]']);
  });

  it("makes nothing of a new instance whose config is refused", () => {
    const plan = planInstance(observedOf(instanceOf({ config: { port: "1" } })));
    expect(plan.actions).toEqual([]);
    expect(plan.refusals).toMatchObject([{ field: 'spec.config["port"]' }]);
  });

  const configMap = (name: string, text: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...stored, name, uid: uid(name) },
    data: { "redis.conf": text },
  });
  const mounted = (name: string) => `cache-config-${name}`;

  it("leaves servers the config that they have, and its image, when a new one is refused; and does the rest", () => {
    const before = instanceOf();
    const instance = instanceOf({ config: { port: "1" }, replicas: 2, image: "redis:8.0" });
    const plan = planInstance(
      observedOf(instance, {
        configMap: configMap("cache", "of somebody's hand"),
        configCopies: [configMap(mounted("hash"), "old"), configMap(mounted("other"), "older")],
        statefulSet: statefulSetFor(before),
      }),
    );
    expect(plan.actions.map((action) => actionText(action))).toEqual([
      ...children,
      "apply PodDisruptionBudget cache",
    ]);
    expect(appliedIn(plan, ConfigMap)).toMatchObject([
      { data: { "redis.conf": "old" } },
      { data: { "redis.conf": "old" }, immutable: true },
      { data: { replicas: "2" } },
    ]);
    expect(appliedIn(plan, StatefulSet)).toMatchObject([
      { spec: { replicas: 2, template: { spec: { containers: [{ image: "redis:7.0" }] } } } },
    ]);
    expect(plan.refusals?.map(({ field }) => field)).toEqual(['spec.config["port"]', "spec.image"]);
  });

  it("leaves servers the memory that their config needs when less is asked for", () => {
    const resourcesOf = (memory: string) => ({ limits: { memory } });
    const config = { maxmemory: "900mb" };
    const before = instanceOf({ config, resources: resourcesOf("1Gi") });
    const made = (plan: InstancePlan) =>
      appliedIn(plan, StatefulSet)[0]?.spec?.template?.spec?.containers?.[0]?.resources;
    const first = planInstance(observedOf(before));
    expect([first.refusals, made(first)]).toEqual([[], resourcesOf("1Gi")]);

    const [, copy] = appliedIn(first, ConfigMap);
    const [set] = appliedIn(first, StatefulSet);
    const name = copy?.metadata.name ?? "";
    const there = {
      configCopies: [configMap(name, copy?.data?.["redis.conf"] ?? "")],
      statefulSet: { ...statefulSetFor(before), spec: set?.spec as never },
    };
    const less = planInstance(observedOf(instanceOf({ config, resources: resourcesOf("64Mi") }), there));
    expect(less.refusals?.map(({ field }) => field)).toEqual(['spec.config["maxmemory"]', "spec.resources"]);
    expect(made(less)).toEqual(resourcesOf("1Gi"));

    // Another refusal does not hold memory back that fits.
    const more = instanceOf({ config: { ...config, port: "1" }, resources: resourcesOf("2Gi") });
    expect(made(planInstance(observedOf(more, there)))).toEqual(resourcesOf("2Gi"));
  });

  it("gives pods a copy of the config that never changes", () => {
    const templateOf = (config: Record<string, string>) => {
      const plan = planInstance(observedOf(instanceOf({ config })));
      const copy = appliedIn(plan, ConfigMap).find(({ immutable }) => immutable === true);
      const [set] = appliedIn(plan, StatefulSet);
      const volume = set?.spec?.template?.spec?.volumes?.find(({ name }) => name === "redis-config");
      const name = copy?.metadata.name;
      expect(volume?.configMap?.name).toBe(name);
      return name;
    };
    expect(templateOf({ maxmemory: "1gb" })).not.toBe(templateOf({ maxmemory: "2gb" }));
  });

  it.each([
    ["nobody needs it any more", rolledOut(1), [], ["cache-config-old"]],
    ["a pod still has it", rolledOut(1), ["cache-config-old"], []],
    ["a roll-out goes on", { ...rolledOut(1), updateRevision: "r2" }, ["cache-config-hash"], []],
    ["a pod is missing", { ...rolledOut(1), replicas: 0, readyReplicas: 0 }, [], []],
    ["nobody has looked at the StatefulSet yet", { replicas: 0 }, [], []],
  ])("deletes an older copy only when nobody can come to need it: %s", (_when, status, used, expected) => {
    const instance = instanceOf();
    const pods = used.map((name) => {
      const pod = podOf("cache-0", {});
      return { ...pod, spec: { ...pod.spec, volumes: [{ name: "redis-config", configMap: { name } }] } };
    });
    const { actions } = planInstance(
      observedOf(instance, {
        configCopies: [configMap("cache-config-hash", "mounted"), configMap("cache-config-old", "old")],
        statefulSet: statefulSetFor(instance, status),
        pods,
      }),
    );
    const texts = actions.map((action) => actionText(action));
    expect(texts.filter((text) => text.startsWith("delete "))).toEqual(
      expected.map((name) => `delete ConfigMap ${name}`),
    );
  });

  it.each([
    ["unusable", "set it, or delete the Secret and one is made"],
    ["spoilt", "kubectl delete secret -n shop cache-auth"],
    ["lost", "kubectl create secret generic -n shop cache-auth"],
  ] as const)("makes no password and says what to do when it is %s", (password, wayOut) => {
    const plan = planInstance(observedOf(instanceOf(), { password }));
    expect(plan.refusals?.map(({ field }) => field)).toEqual(["spec.auth.enabled"]);
    expect(plan.refusals?.[0]?.message).toContain(wayOut);
    expect(plan.actions.map((action) => actionText(action))).toEqual(["take epoch", ...children]);
  });

  it.each(["1m", "0", "100k"])("makes nothing for a volume of %s", (size) => {
    const plan = planInstance(observedOf(instanceOf({ storage: { size } })));
    expect(plan.actions).toEqual([]);
    expect(plan.refusals).toMatchObject([{ field: "spec.storage.size" }]);
    expect(plan.refusals?.[0]?.message).toContain(`is ${size}, less than 1Mi`);
  });
});

describe("what servers are told of their peers", () => {
  const told = (
    there: Partial<Observed>,
    spec: Parameters<typeof instanceOf>[0] = { replicas: 3 },
  ): unknown => {
    const [, , peers] = appliedIn(planInstance(observedOf(instanceOf(spec), there)), ConfigMap);
    return peers?.data;
  };
  const statefulSet = statefulSetFor(instanceOf({ replicas: 3 }));
  const pod = (status: string) => podOf("cache-0", { conditions: [{ type: "Ready", status }] });
  const said = (initialized: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...stored, name: "cache.peers", uid: uid("peers") },
    data: { initialized },
  });

  it.each<[string, boolean, Partial<Observed>]>([
    ["a new instance has no data", false, {}],
    [
      "nor has one whose pods start",
      false,
      { statefulSet, peers: said("false"), pods: [pod("False")], claims: [claim("redis-data-cache-0")] },
    ],
    ["one of whose pods is ready may have", true, { statefulSet, pods: [pod("True")] }],
    ["also later", true, { statefulSet, peers: said("true") }],
    ["also when what was said is deleted", true, { statefulSet, pods: [pod("False")] }],
    ["and one that finds volumes", true, { claims: [claim("redis-data-cache-1")] }],
  ])("%s", (_what, initialized, there) => {
    expect(told(there)).toEqual({ replicas: "3", wanted: "3", initialized: String(initialized) });
  });

  it.each<[string, string, Parameters<typeof instanceOf>[0]]>([
    ["pods that were scaled away count while their volumes are there", "5", {}],
    ["but not for a server that always begins empty", "1", { config: { appendonly: "no", save: "" } }],
  ])("%s", (_what, replicas, spec) => {
    const claims = ["redis-data-cache-0", "redis-data-cache-4"].map((name) => claim(name));
    expect(told({ statefulSet, claims }, { ...spec, replicas: 1 })).toMatchObject({ replicas });
  });
});

describe("replicas of a server that writes nothing to its volume", () => {
  const volatile = { appendonly: "no", save: "" };
  const configMap = (text: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...stored, name: "cache", uid: uid("map") },
    data: { "redis.conf": text },
  });

  it("are refused in a new instance, of which nothing is made", () => {
    const plan = planInstance(observedOf(instanceOf({ replicas: 2, config: volatile })));
    expect(plan.refusals).toMatchObject([{ field: "spec.config" }]);
    expect(plan.actions).toEqual([]);
  });

  it("keep the config that they have", () => {
    const instance = instanceOf({ replicas: 2, config: volatile });
    const there = { statefulSet: statefulSetFor(instance), configMap: configMap("appendonly yes\n") };
    const plan = planInstance(observedOf(instance, there));
    expect(plan.refusals).toMatchObject([{ field: "spec.config" }]);
    const [newest] = appliedIn(plan, ConfigMap);
    expect(newest).toMatchObject({ data: { "redis.conf": "appendonly yes\n" } });
  });

  it("are not added to a server that has such a config", () => {
    const instance = instanceOf({ replicas: 3, config: volatile });
    const there = {
      statefulSet: statefulSetFor(instanceOf({ replicas: 1 })),
      configMap: configMap('appendonly no\nsave ""\n'),
    };
    const plan = planInstance(observedOf(instance, there));
    expect(plan.refusals).toMatchObject([{ field: "spec.replicas is 3, but spec.config" }]);
    expect(appliedIn(plan, StatefulSet)).toMatchObject([{ spec: { replicas: 1 } }]);
  });

  it.each([
    [{ appendonly: "no" }, 3],
    [{ appendonly: "no", save: "900 1" }, 3],
    [{ save: "" }, 3],
    [volatile, 1],
  ])("are nothing to %j with %i", (config, replicas) => {
    expect(planInstance(observedOf(instanceOf({ config, replicas }))).refusals).toEqual([]);
  });
});

describe("the plan for an instance that is being deleted", () => {
  const set = statefulSetFor(instanceOf(), rolledOut(1));

  it("lets go at once when the volumes are kept", () => {
    const instance = instanceOf({}, { metadata: deleting });
    const observed = observedOf(instance, { statefulSet: set, claims: [claim("redis-data-cache-0")] });
    expect(planInstance(observed)).toEqual({ actions: [], release: true });
  });

  const instance = instanceOf({ deletionPolicy: "Delete" }, { metadata: deleting });

  const claims = [claim("redis-data-cache-0")];
  const waiting: InstancePlan = { actions: [], release: false };
  const sized = (replicas: number, generation: number, status: object, metadata: object = {}) => ({
    ...set,
    metadata: { ...set.metadata, generation, ...metadata },
    spec: { ...set.spec, replicas },
    status: { ...rolledOut(replicas), ...status },
  });

  it.each([
    ["first takes the pods away", sized(1, 1, {}), [{ type: "stop pods", name: "cache", uid: "set-uid" }]],
    ["waits until that was seen", sized(0, 2, { observedGeneration: 1 }), []],
    ["waits until they are gone", sized(0, 2, { observedGeneration: 2, replicas: 1 }), []],
    [
      "then deletes the StatefulSet",
      sized(0, 2, { observedGeneration: 2 }),
      [deleteChild(StatefulSet, set.metadata, { propagation: "Foreground" })],
    ],
    ["waits until it is gone", sized(1, 1, {}, deleting), []],
  ])("%s", (_what, statefulSet, actions) => {
    expect(planInstance(observedOf(instance, { statefulSet, claims }))).toEqual({ ...waiting, actions });
  });

  it("gives claims of the StatefulSet their labels back, before only those tell whose they are", () => {
    const unlabelledClaims = [claim("redis-data-cache-1")];
    const { actions } = planInstance(
      observedOf(instance, { statefulSet: sized(1, 1, {}), unlabelledClaims }),
    );
    expect(actions).toEqual([
      { type: "label claim", claim: unlabelledClaims[0] },
      { type: "stop pods", name: "cache", uid: "set-uid" },
    ]);
  });

  it("waits for the last pod", () => {
    expect(planInstance(observedOf(instance, { claims, pods: [podOf("cache-0", {})] }))).toEqual(waiting);
  });

  it("then deletes the volumes that are not on their way out, and waits for them", () => {
    const both = [...claims, claim("redis-data-cache-1", deleting)];
    expect(planInstance(observedOf(instance, { claims: both }))).toEqual({
      ...waiting,
      actions: claims.map(({ metadata }) => deleteChild(PersistentVolumeClaim, metadata)),
    });
    expect(planInstance(observedOf(instance, { claims: [claim("redis-data-cache-1", deleting)] }))).toEqual(
      waiting,
    );
  });

  it("lets go when nothing is left", () => {
    expect(planInstance(observedOf(instance))).toEqual({ ...waiting, release: true });
  });

  const orphan = (name: string, more: object = {}, config = "hash") => {
    const pod = podOf(name, {});
    const annotations = config === "" ? {} : { "redis.github.com/config-hash": config };
    return { ...pod, metadata: { ...pod.metadata, annotations, ...more } };
  };

  it.each(["Retain", "Delete"] as const)(
    "takes the pods of a StatefulSet that was being made again with it: policy %s",
    (deletionPolicy) => {
      const leaving = instanceOf({ deletionPolicy }, { metadata: deleting });
      const pods = [
        orphan("cache-0"),
        orphan("cache-1", deleting),
        orphan("cache-2", {}, ""),
        orphan("cache-x"),
        orphan("cache-3", { ownerReferences: [controllerReference(set)] }),
      ];
      const observed = observedOf(leaving, { claims, pods });
      expect(planInstance(observed)).toEqual({
        actions: [deleteChild(Pod, orphan("cache-0").metadata)],
        release: deletionPolicy === "Retain",
      });
      const statefulSet = sized(1, 1, {}, { ...deleting, finalizers: ["orphan"] });
      expect(planInstance({ ...observed, statefulSet })).toEqual(waiting);
    },
  );

  it("never touches claims that may be those of somebody else's StatefulSet", () => {
    expect(planInstance(observedOf(instance, { isNameTaken: true, claims }))).toEqual({
      ...waiting,
      release: true,
    });
  });
});
