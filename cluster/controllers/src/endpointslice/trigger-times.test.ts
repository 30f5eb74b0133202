import { uid, resourceVersion, type DeepReadonly, type StoredMeta } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { TriggerTimes } from "./trigger-times.ts";

const at = (second: number): string => `2026-11-16T00:00:${String(second).padStart(2, "0")}Z`;

function metadata(name: string, created = 0): StoredMeta & { namespace: string } {
  const creationTimestamp = at(created);
  return {
    namespace: "default",
    name,
    uid: uid(`uid of ${name}`),
    resourceVersion: resourceVersion("1"),
    creationTimestamp,
  };
}

function service(created = 0): { readonly metadata: StoredMeta } {
  return { metadata: metadata("web", created) };
}

function pod(name: string, changed?: number): DeepReadonly<Pod> {
  const conditions =
    changed === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: at(changed) }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadata(name),
    spec: { containers: [] },
    status: { conditions },
  };
}

describe("the time that a slice tells of", () => {
  it("is that of the service at first, whatever its pods did", () => {
    expect(new TriggerTimes().next(service(1), [pod("a", 5)])).toBe(at(1));
  });

  it.each([
    { what: "nothing, when no pod changed", pods: [pod("a", 5)], told: undefined },
    { what: "a pod's that changed", pods: [pod("a", 7)], told: at(7) },
    { what: "the oldest of several", pods: [pod("a", 9), pod("b", 8), pod("c")], told: at(8) },
    { what: "nothing, when a pod is gone", pods: [], told: undefined },
  ])("later is $what", ({ pods, told }) => {
    const times = new TriggerTimes();
    times.next(service(), [pod("a", 5)]);
    expect(times.next(service(), pods)).toBe(told);
  });

  it("is told once", () => {
    const times = new TriggerTimes();
    times.next(service(), []);
    expect(times.next(service(), [pod("a", 5)])).toBe(at(5));
    expect(times.next(service(), [pod("a", 5)])).toBeUndefined();
  });

  it("begins anew with another service of the name", () => {
    const times = new TriggerTimes();
    times.next(service(), []);
    times.forget({ namespace: "default", name: "web" });
    expect(times.next(service(9), [pod("a", 5)])).toBe(at(9));
  });
});
