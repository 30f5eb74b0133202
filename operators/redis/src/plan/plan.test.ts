import { describe, expect, it } from "vitest";
import { resourceVersion, uid } from "@kedge/machinery";
import { instanceOf, observedOf, podOf, settled, statefulSetFor } from "../testing/builders.ts";
import { planInstance } from "./plan.ts";

const stored = {
  namespace: "shop",
  resourceVersion: resourceVersion("7"),
  creationTimestamp: "2026-11-16T00:00:00Z",
};
const deleting = { deletionTimestamp: "2026-11-16T01:00:00Z" };

function claim(name: string, more: object = {}) {
  const metadata = { ...stored, name, uid: uid(name), ...more };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: {} };
}

describe("the plan for an instance", () => {
  it("begins with the finalizer, and nothing else", () => {
    const instance = instanceOf({}, { metadata: { finalizers: ["other.dev/finalizer"] } });
    expect(planInstance(observedOf(instance))).toEqual({
      actions: [{ do: "add-finalizer" }],
      refusals: [],
      release: false,
    });
  });

  it.each([
    [
      "missing",
      true,
      ["create-password", "apply-config-map", "apply-service", "apply-service", "apply-stateful-set"],
    ],
    ["there", true, ["apply-config-map", "apply-service", "apply-service", "apply-stateful-set"]],
    ["missing", false, ["apply-config-map", "apply-service", "apply-service", "apply-stateful-set"]],
  ] as const)("makes the children; password %s, auth %s", (password, enabled, expected) => {
    const plan = planInstance(observedOf(instanceOf({ auth: { enabled } }), { password }));
    expect(plan.actions.map((action) => action.do)).toEqual(expected);
    expect(plan.refusals).toEqual([]);
  });

  it("makes nothing of a new instance whose config is refused", () => {
    const plan = planInstance(observedOf(instanceOf({ config: { port: "1" } })));
    expect(plan.actions).toEqual([]);
    expect(plan.refusals).toMatchObject([{ field: 'spec.config["port"]' }]);
  });

  it("leaves servers their config when a new one is refused, and does the rest", () => {
    const instance = instanceOf({ config: { port: "1" }, replicas: 2 });
    const configMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...stored, name: "cache", uid: uid("map") },
      data: { "redis.conf": "old" },
    };
    const plan = planInstance(observedOf(instance, { configMap, statefulSet: statefulSetFor(instance) }));
    expect(plan.actions).toMatchObject([
      { do: "apply-config-map", object: { data: { "redis.conf": "old" } } },
      { do: "apply-service" },
      { do: "apply-service" },
      { do: "apply-stateful-set", object: { spec: { replicas: 2 } } },
    ]);
    expect(plan.refusals).toHaveLength(1);
  });

  it("refuses a Secret without a password", () => {
    const plan = planInstance(observedOf(instanceOf(), { password: "unusable" }));
    expect(plan.refusals).toMatchObject([{ field: "spec.auth.enabled" }]);
    expect(plan.actions.map((action) => action.do)).not.toContain("create-password");
  });

  it.each([
    ["another size", { size: "2Gi" }, ["spec.storage.size"], "growing volumes is not there yet"],
    ["a smaller size", { size: "500Mi" }, ["spec.storage.size"], "volumes cannot shrink"],
    [
      "another class",
      { size: "1Gi", storageClassName: "slow" },
      ["spec.storage.storageClassName"],
      "leave it out",
    ],
    ["the same size in other words", { size: "1024Mi" }, [], ""],
  ])("keeps volumes as they were made: %s", (_what, storage, fields, why) => {
    const before = instanceOf({ storage: { size: "1Gi" } });
    const plan = planInstance(observedOf(instanceOf({ storage }), { statefulSet: statefulSetFor(before) }));
    expect(plan.refusals.map(({ field }) => field)).toEqual(fields);
    expect(plan.refusals.map(({ message }) => message).join(" ")).toContain(why);
    const set = plan.actions.find((action) => action.do === "apply-stateful-set");
    const [template] = set?.object.spec?.volumeClaimTemplates ?? [];
    expect(template?.spec.resources?.requests).toEqual({ storage: "1Gi" });
    expect(template?.spec.storageClassName).toBeUndefined();
  });
});

describe("the plan for an instance that is being deleted", () => {
  const set = statefulSetFor(instanceOf(), settled(1));

  it("lets go at once when the volumes are kept", () => {
    const instance = instanceOf({}, { metadata: deleting });
    const observed = observedOf(instance, { statefulSet: set, claims: [claim("redis-data-cache-0")] });
    expect(planInstance(observed)).toEqual({ actions: [], refusals: [], release: true });
  });

  const instance = instanceOf({ deletionPolicy: "Delete" }, { metadata: deleting });

  const claims = [claim("redis-data-cache-0")];
  const waiting = { actions: [], refusals: [], release: false };
  const sized = (replicas: number, generation: number, status: object, metadata: object = {}) => ({
    ...set,
    metadata: { ...set.metadata, generation, ...metadata },
    spec: { ...set.spec, replicas },
    status: { ...settled(replicas), ...status },
  });

  it.each([
    ["first takes the pods away", sized(1, 1, {}), [{ do: "stop-pods", name: "cache", uid: "set-uid" }]],
    ["waits until that was seen", sized(0, 2, { observedGeneration: 1 }), []],
    ["waits until they are gone", sized(0, 2, { observedGeneration: 2, replicas: 1 }), []],
    [
      "then deletes the StatefulSet",
      sized(0, 2, { observedGeneration: 2 }),
      [{ do: "delete-stateful-set", name: "cache", uid: "set-uid" }],
    ],
    ["waits until it is gone", sized(1, 1, {}, deleting), []],
  ])("%s", (_what, statefulSet, actions) => {
    expect(planInstance(observedOf(instance, { statefulSet, claims }))).toEqual({ ...waiting, actions });
  });

  it("waits for the last pod", () => {
    expect(planInstance(observedOf(instance, { claims, pods: [podOf("cache-0", {})] }))).toEqual(waiting);
  });

  it("then deletes the volumes that are not on their way out, and waits for them", () => {
    const both = [...claims, claim("redis-data-cache-1", deleting)];
    expect(planInstance(observedOf(instance, { claims: both }))).toEqual({
      ...waiting,
      actions: [{ do: "delete-claim", name: "redis-data-cache-0", uid: "redis-data-cache-0" }],
    });
    expect(planInstance(observedOf(instance, { claims: [claim("redis-data-cache-1", deleting)] }))).toEqual(
      waiting,
    );
  });

  it("lets go when nothing is left", () => {
    expect(planInstance(observedOf(instance))).toEqual({ ...waiting, release: true });
  });

  it("never touches claims that may be those of somebody else's StatefulSet", () => {
    expect(planInstance(observedOf(instance, { isNameTaken: true, claims }))).toEqual({
      ...waiting,
      release: true,
    });
  });
});
