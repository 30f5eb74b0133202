import { resourceVersion, uid } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { actionText, appliedIn, deleteChild } from "@kedge/runtime";
import { describe, expect, it } from "vitest";
import type { Observed } from "../observe.ts";
import { instanceOf, observedOf, statefulSetFor } from "../testing/builders.ts";
import { planInstance } from "./plan.ts";
import { storageCondition } from "./storage-condition.ts";
import { planStorage } from "./storage.ts";

const deleting = { deletionTimestamp: "2026-11-16T01:00:00Z" };

interface ClaimOptions {
  readonly size?: string;
  readonly className?: string;
  readonly ordinal?: number;
  readonly metadata?: object;
  readonly status?: object;
}

/** A claim of 1Gi that has its volume, with the class that the cluster filled in. */
function claim({ size = "1Gi", className = "local-path", ordinal = 0, metadata, status }: ClaimOptions = {}) {
  const name = `redis-data-cache-${ordinal}`;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      namespace: "shop",
      name,
      uid: uid(name),
      resourceVersion: resourceVersion("7"),
      creationTimestamp: "2026-11-16T00:00:00Z",
      ...metadata,
    },
    spec: { resources: { requests: { storage: size } }, storageClassName: className },
    status: { phase: "Bound", capacity: { storage: size }, ...status },
  };
}

type There = Partial<Observed>;

const wantedOf = (size: string, storageClassName?: string, replicas = 1) => ({
  storage: { size, ...(storageClassName !== undefined && { storageClassName }) },
  replicas,
});

const planOf = (wanted: ReturnType<typeof wantedOf>, there: There) =>
  planStorage(wanted, observedOf(instanceOf(), there));

const resizesOf = ({ resizes }: ReturnType<typeof planStorage>) =>
  resizes.map(({ claim: { metadata }, size }) => `${metadata.name} ${size}`);

const fieldsOf = ({ refusals }: ReturnType<typeof planStorage>) => refusals.map(({ field }) => field);

describe("volumes grow", () => {
  const statefulSet = statefulSetFor(instanceOf());

  it("when their class allows it: claims and the template of those to come", () => {
    const claims = [claim(), claim({ ordinal: 1 })];
    const plan = planOf(wantedOf("2Gi", undefined, 2), { statefulSet, claims });
    expect(plan).toMatchObject({ storage: { size: "2Gi", storageClassName: undefined }, refusals: [] });
    expect(resizesOf(plan)).toEqual(["redis-data-cache-0 2Gi", "redis-data-cache-1 2Gi"]);
  });

  it.each([
    [
      "only those that are smaller",
      [claim({ size: "2Gi" }), claim({ ordinal: 1 })],
      ["redis-data-cache-1 2Gi"],
    ],
    ["not those of pods that were scaled away", [claim(), claim({ ordinal: 2 })], ["redis-data-cache-0 2Gi"]],
    ["not those that wait for a volume", [claim({ status: { phase: "Pending" } })], []],
    ["not those on their way out", [claim({ metadata: deleting })], []],
    [
      "and back, as long as the volume has not grown",
      [claim({ size: "9Gi", status: { capacity: { storage: "1Gi" } } })],
      ["redis-data-cache-0 2Gi"],
    ],
  ])("%s", (_what, claims, resizes) => {
    const plan = planOf(wantedOf("2Gi", undefined, 2), { statefulSet, claims });
    expect(fieldsOf(plan)).toEqual([]);
    expect(resizesOf(plan)).toEqual(resizes);
  });

  it("in a StatefulSet that is made again, without its pods and claims", () => {
    const instance = instanceOf({ storage: { size: "2Gi" } });
    const observed = observedOf(instance, { statefulSet, claims: [claim()] });
    const { actions } = planInstance(observed);
    expect(actions.slice(-2)).toEqual([
      { type: "resize claim", claim: claim(), size: "2Gi" },
      deleteChild(StatefulSet, statefulSet.metadata, { propagation: "Orphan" }),
    ]);
    const going = { ...statefulSet, metadata: { ...statefulSet.metadata, ...deleting } };
    const waiting = planInstance({ ...observed, statefulSet: going, claims: [claim({ size: "2Gi" })] });
    expect(waiting.actions.map((action) => actionText(action))).not.toContain("apply StatefulSet cache");
    const gone = planInstance({ ...observed, statefulSet: undefined, claims: [claim({ size: "2Gi" })] });
    const [made] = appliedIn(gone, StatefulSet);
    expect(made?.spec?.volumeClaimTemplates?.[0]?.spec).toMatchObject({
      resources: { requests: { storage: "2Gi" } },
      storageClassName: "local-path",
    });
  });
});

describe("volumes stay as they are", () => {
  const statefulSet = statefulSetFor(instanceOf({ storage: { size: "1Gi" } }));
  const size = ["spec.storage.size"];
  const className = ["spec.storage.storageClassName"];

  it.each([
    [
      "a class that does not let them grow",
      wantedOf("2Gi"),
      [claim({ className: "fast" })],
      size,
      `kubectl patch storageclass fast -p '{"allowVolumeExpansion":true}'`,
    ],
    ["one without a class", wantedOf("2Gi"), [claim({ className: "" })], size, "set it back to 1Gi"],
    ["a smaller size", wantedOf("500Mi"), [claim()], size, "volumes cannot shrink: set it back to 1Gi"],
    [
      "one of them has more",
      wantedOf("1Gi", undefined, 2),
      [claim(), claim({ ordinal: 1, size: "3Gi" })],
      size,
      "set it back to 3Gi",
    ],
    ["another class", wantedOf("1Gi", "slow"), [claim()], className, "set it back to local-path"],
    ["another class, and no volume yet", wantedOf("1Gi", "slow"), [], className, "leave it out"],
  ])("and say why and what to do: %s", (_what, wanted, claims, fields, wayOut) => {
    for (const set of [statefulSet, undefined]) {
      if (set === undefined && claims.length === 0) continue;
      const plan = planOf(wanted, { statefulSet: set, claims });
      expect(fieldsOf(plan)).toEqual(fields);
      expect(plan.refusals[0]?.message).toContain(wayOut);
      expect(resizesOf(plan)).toEqual([]);
      expect(plan.storage?.size).toBe(set === undefined && wayOut.includes("3Gi") ? "3Gi" : "1Gi");
    }
  });

  it.each([
    ["the same size in other words", wantedOf("1024Mi"), [claim()]],
    ["the default class by its name", wantedOf("1Gi", "local-path"), [claim()]],
    ["a class that is left out", wantedOf("1Gi"), [claim({ className: "fast" })]],
  ])("when nothing else is wanted: %s", (_what, wanted, claims) => {
    expect(planOf(wanted, { statefulSet, claims })).toMatchObject({
      storage: { size: "1Gi", storageClassName: undefined },
      resizes: [],
      refusals: [],
    });
  });
});

describe("the condition StorageReady", () => {
  const instance = instanceOf({ replicas: 2 });
  const grows = { capacity: { storage: "1Gi" } };
  const error = { type: "ControllerResizeError", status: "True", message: "the disk is full" };

  it.each([
    ["True", "AllBound", [claim(), claim({ ordinal: 1 })], "2 volumes of 1Gi."],
    ["False", "ClaimMissing", [claim()], "claim redis-data-cache-1 is not there yet"],
    ["False", "ClaimPending", [claim({ status: { phase: "Pending" } }), claim({ ordinal: 1 })], "waits"],
    ["False", "ClaimLost", [claim({ status: { phase: "Lost" } })], "redis-data-cache-0 has lost its volume"],
    [
      "False",
      "ClaimDeleted",
      [claim({ metadata: deleting }), claim({ ordinal: 1 })],
      "as soon as its pod is gone",
    ],
    [
      "False",
      "Growing",
      [claim({ size: "2Gi", status: grows }), claim({ ordinal: 1 })],
      "has 1Gi and is to have 2Gi",
    ],
    [
      "False",
      "ResizeFailed",
      [claim({ size: "2Gi", status: { ...grows, conditions: [error] } })],
      "the disk is full (ask for less in spec.storage.size (more than 1Gi)",
    ],
  ])("is %s, %s", (status, reason, claims, message) => {
    const condition = storageCondition(observedOf(instance, { claims }), []);
    expect(condition).toMatchObject({ type: "StorageReady", status, reason });
    expect(condition.message).toContain(message);
  });

  it("repeats what is refused of the storage", () => {
    const refusals = [
      { field: "spec.image", message: "no" },
      { field: "spec.storage.size", message: "is too small" },
    ];
    expect(storageCondition(observedOf(instance), refusals)).toMatchObject({
      reason: "Refused",
      message: "spec.storage.size is too small",
    });
  });
});
