import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import type { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { PersistentVolumeClaim, Service } from "@kedge/machinery/kinds/core/v1";
import type { DeepReadonly } from "@kedge/machinery";
import { actionText, appliedIn, deleteChild } from "@kedge/runtime";
import { describe, expect, it } from "vitest";
import { applicationOf, deploymentFor, observedOf, ownedMeta } from "../testing/builders.ts";
import { planApplication } from "./plan.ts";

const scaling = { minReplicas: 2, maxReplicas: 4 };
const deletionTimestamp = "2026-11-16T01:00:00Z";

function doing(observed: Parameters<typeof planApplication>[0]): readonly string[] {
  return planApplication(observed).actions.map((action) => actionText(action));
}

const service: DeepReadonly<Service> = {
  apiVersion: "v1",
  kind: "Service",
  metadata: ownedMeta("web"),
  spec: {},
};

const autoscaler: DeepReadonly<HorizontalPodAutoscaler> = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: ownedMeta("web"),
  spec: { maxReplicas: 4, scaleTargetRef: { kind: "Deployment", name: "web" } },
};

describe("the plan for an application", () => {
  it("makes the children, claims first", () => {
    const storage = { persistentVolumeClaims: [{ name: "data", size: "1Gi" }] };
    expect(doing(observedOf(applicationOf({ storage })))).toEqual([
      "apply PersistentVolumeClaim web-data",
      "apply Deployment web",
      "apply Service web",
    ]);
  });

  it("lets go of an application that is being deleted: all it has is owned", () => {
    const application = applicationOf({}, { metadata: { deletionTimestamp } });
    const deployment = deploymentFor(application);
    expect(planApplication(observedOf(application, { deployment }))).toEqual({
      actions: [],
      release: true,
    });
  });

  it("removes a Service that is no longer wanted, once", () => {
    const application = applicationOf({ port: undefined });
    expect(planApplication(observedOf(application, { service })).actions).toContainEqual(
      deleteChild(Service, service.metadata),
    );
    const going = { ...service, metadata: { ...service.metadata, deletionTimestamp } };
    expect(doing(observedOf(application, { service: going }))).not.toContain("delete Service web");
  });
});

describe("the number of replicas", () => {
  function replicas(observed: Parameters<typeof planApplication>[0]) {
    const [found] = appliedIn(planApplication(observed), Deployment);
    return [found?.metadata.annotations?.["apps.example.com/replicas-by"], found?.spec?.replicas];
  }

  it("is the spec's without scaling", () => {
    expect(replicas(observedOf(applicationOf({ replicas: 0 })))).toEqual(["application", 0]);
  });

  it.each([
    [1, 2],
    [3, 3],
    [9, 4],
  ])("begins with scaling as the spec says, between the limits: %i is %i", (wanted, expected) => {
    const observed = observedOf(applicationOf({ replicas: wanted, scaling }));
    expect(replicas(observed)).toEqual(["application", expected]);
    expect(doing(observed)).not.toContain("apply HorizontalPodAutoscaler web");
  });

  it("is handed over as it is, before we let go of it and before there is an autoscaler", () => {
    const application = applicationOf({ replicas: 3, scaling });
    const observed = observedOf(application, { deployment: deploymentFor(application, { replicas: 7 }) });
    expect(doing(observed)).toEqual([
      "hand over replicas",
      "apply Deployment web",
      "apply Service web",
      "apply HorizontalPodAutoscaler web",
    ]);
    expect(planApplication(observed).actions[0]).toEqual({
      type: "hand over replicas",
      name: "web",
      uid: "web-uid",
      count: 7,
    });
    expect(replicas(observed)).toEqual(["autoscaler", undefined]);
  });

  it("is not ours any more after that", () => {
    const application = applicationOf({ replicas: 3, scaling });
    const deployment = deploymentFor(application, { by: "autoscaler", replicas: 7 });
    const observed = observedOf(application, { deployment, autoscaler });
    expect(doing(observed)).toEqual([
      "apply Deployment web",
      "apply Service web",
      "apply HorizontalPodAutoscaler web",
    ]);
    expect(replicas(observed)).toEqual(["autoscaler", undefined]);
  });

  it("cannot be changed in the spec while it is the autoscaler's, and that is said", () => {
    const deploymentWith = (begun: string) =>
      deploymentFor(applicationOf(), {
        by: "autoscaler",
        replicas: 4,
        annotations: { "apps.example.com/replicas-begun": begun },
      });
    const asked = applicationOf({ replicas: 5, scaling });
    expect(planApplication(observedOf(asked, { deployment: deploymentWith("3") })).refusals).toMatchObject([
      { field: "spec.replicas", message: expect.stringContaining("now 4, is the autoscaler's") as string },
    ]);
    expect(planApplication(observedOf(asked, { deployment: deploymentWith("5") })).refusals).toEqual([]);
    const observed = observedOf(asked, { deployment: deploymentWith("3") });
    const [applied] = appliedIn(planApplication(observed), Deployment);
    expect(applied?.metadata.annotations?.["apps.example.com/replicas-begun"]).toBe("3");
  });

  it("is the spec's again when scaling is switched off, after the autoscaler has gone", () => {
    const application = applicationOf({ replicas: 3 });
    const deployment = deploymentFor(application, { by: "autoscaler", replicas: 7 });
    const observed = observedOf(application, { deployment, autoscaler });
    expect(doing(observed)).toEqual([
      "delete HorizontalPodAutoscaler web",
      "apply Deployment web",
      "apply Service web",
    ]);
    expect(replicas(observed)).toEqual(["application", 3]);
  });

  it("has limits that make sense, or the autoscaler stays as it is and it is said why", () => {
    const application = applicationOf({ scaling: { minReplicas: 5, maxReplicas: 4 } });
    const deployment = deploymentFor(application, { by: "autoscaler" });
    const observed = observedOf(application, { deployment });
    expect(planApplication(observed).refusals).toMatchObject([{ field: "spec.scaling.maxReplicas" }]);
    expect(doing(observed)).toEqual(["apply Deployment web", "apply Service web"]);
  });
});

describe("claims", () => {
  const application = applicationOf({
    storage: { persistentVolumeClaims: [{ name: "data", size: "1Gi", storageClassName: "fast" }] },
  });

  function claim(
    spec: PersistentVolumeClaim["spec"],
    name = "web-data",
  ): DeepReadonly<PersistentVolumeClaim> {
    const { ownerReferences: _owned, ...metadata } = ownedMeta(name);
    return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec };
  }

  const asWanted = {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1024Mi" } },
    storageClassName: "fast",
  };

  it("that exist are left alone", () => {
    const plan = planApplication(observedOf(application, { claims: [claim(asWanted)] }));
    expect(plan.actions.map((action) => actionText(action))).not.toContain(
      "apply PersistentVolumeClaim web-data",
    );
    expect(plan.refusals).toEqual([]);
  });

  it.each([
    ["size", { ...asWanted, resources: { requests: { storage: "2Gi" } } }],
    ["storageClassName", { ...asWanted, storageClassName: "slow" }],
    ["accessModes", { ...asWanted, accessModes: ["ReadWriteMany"] }],
  ])("cannot be changed in their %s", (field, spec) => {
    const plan = planApplication(observedOf(application, { claims: [claim(spec)] }));
    expect(plan.refusals?.map((refusal) => refusal.field)).toEqual([
      `spec.storage.persistentVolumeClaims[data].${field}`,
    ]);
    expect(plan.actions.map((action) => actionText(action))).toContain("apply Deployment web");
  });

  it("that the spec no longer names are kept", () => {
    const old = claim(asWanted, "web-old");
    const plan = planApplication(observedOf(applicationOf(), { claims: [old] }));
    expect(plan.actions.map((action) => actionText(action))).toEqual([
      "apply Deployment web",
      "apply Service web",
    ]);
  });

  const owned = { ...claim(asWanted), metadata: ownedMeta("web-data") };
  const going = { metadata: { deletionTimestamp } };

  it("that an older version owned are disowned, or they would go with the application", () => {
    const observed = observedOf(application, { claims: [owned] });
    expect(planApplication(observed).actions[0]).toEqual({ type: "disown claim", claim: owned });
  });

  it("are kept when the application is deleted, also those that it owns", () => {
    const claims = [owned, claim(asWanted, "web-old")];
    expect(planApplication(observedOf(applicationOf({}, going), { claims }))).toEqual({
      actions: [{ type: "disown claim", claim: owned }],
      release: true,
    });
  });

  it("go with the application when its deletion policy says so", () => {
    const claims = [claim(asWanted), owned, { ...owned, metadata: { ...owned.metadata, deletionTimestamp } }];
    const deleted = applicationOf({ deletionPolicy: "Delete" }, going);
    expect(planApplication(observedOf(deleted, { claims })).actions).toEqual([
      deleteChild(PersistentVolumeClaim, owned.metadata),
      deleteChild(PersistentVolumeClaim, owned.metadata),
    ]);
  });
});
