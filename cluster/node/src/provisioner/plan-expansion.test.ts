import { resourceVersion, uid } from "@kedge/machinery";
import type { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { grownStatus, infeasibleStatus, planExpansion } from "./plan-expansion.ts";

const metadata = {
  namespace: "default",
  name: "data",
  uid: uid("u"),
  resourceVersion: resourceVersion("1"),
  creationTimestamp: "2026-01-01T00:00:00Z",
};

function claimOf(
  requested: string,
  has: string,
  more: Partial<PersistentVolumeClaim> = {},
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata,
    spec: { volumeName: "pvc-u", resources: { requests: { storage: requested } } },
    status: { phase: "Bound", capacity: { storage: has } },
    ...more,
  };
}

function volumeOf(size: string, { by = "kedge.dev/local-path", owner = "u" } = {}): PersistentVolume {
  const annotations = { "pv.kubernetes.io/provisioned-by": by };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { ...metadata, name: "pvc-u", annotations },
    spec: { capacity: { storage: size }, claimRef: { namespace: "default", name: "data", uid: owner } },
  };
}

it.each<[string, PersistentVolumeClaim, PersistentVolume | undefined, object]>([
  [
    "grows when it asks for more",
    claimOf("2Gi", "1Gi"),
    volumeOf("1Gi"),
    { type: "grow", from: "1Gi", to: "2Gi" },
  ],
  [
    "is told when its volume has grown",
    claimOf("2Gi", "1Gi"),
    volumeOf("2Gi"),
    { type: "tell", capacity: "2Gi" },
  ],
  [
    "stays when it has what it asks for, however it is written",
    claimOf("1024Mi", "1Gi"),
    volumeOf("1Gi"),
    { type: "nothing" },
  ],
  ["stays when it asks for less than it has", claimOf("1Gi", "2Gi"), volumeOf("2Gi"), { type: "nothing" }],
  [
    "stays when another has made its volume",
    claimOf("2Gi", "1Gi"),
    volumeOf("1Gi", { by: "x/y" }),
    { type: "nothing" },
  ],
  [
    "stays when its volume is another's",
    claimOf("2Gi", "1Gi"),
    volumeOf("1Gi", { owner: "v" }),
    { type: "nothing" },
  ],
  ["stays when its volume is gone", claimOf("2Gi", "1Gi"), undefined, { type: "nothing" }],
  [
    "stays while it is not bound",
    claimOf("2Gi", "1Gi", { status: { phase: "Pending" } }),
    volumeOf("1Gi"),
    { type: "nothing" },
  ],
])("a claim %s", (_, claim, volume, plan) => {
  expect(planExpansion(claim, volume)).toEqual(plan);
});

it("a claim that cannot grow says why, since when, and forgets it when it has grown", () => {
  const claim = claimOf("2Gi", "1Gi");
  const status = infeasibleStatus(claim, { to: "2Gi", message: "no room", now: 0 });
  expect(status).toEqual({
    allocatedResources: { storage: "2Gi" },
    allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" },
    conditions: [
      {
        type: "ControllerResizeError",
        status: "True",
        message: "no room",
        lastTransitionTime: "1970-01-01T00:00:00Z",
      },
    ],
  });
  const later = { ...claim, status: { ...claim.status, ...status } };
  expect(
    infeasibleStatus(later, { to: "2Gi", message: "still no room", now: 60_000 }).conditions,
  ).toMatchObject([{ message: "still no room", lastTransitionTime: "1970-01-01T00:00:00Z" }]);
  expect(grownStatus(later, "2Gi")).toEqual({
    capacity: { storage: "2Gi" },
    allocatedResources: { storage: "2Gi" },
    allocatedResourceStatuses: null,
    conditions: [],
  });
});
