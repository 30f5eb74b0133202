import type { Pod } from "@kedge/machinery/kinds/core/v1";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClusterView } from "./cluster-view.ts";
import { node, pod } from "../testing/builders.ts";

const asks = pod("a", { requests: { cpu: "500m", memory: "1Gi" } });
const { uid } = asks.metadata;

function on(nodeName: string, one: Pod = asks, phase = "Running"): Pod {
  return { ...one, spec: { ...one.spec, nodeName }, status: { phase } };
}

/** How many pods a node has, and what they take. */
function taken(placed: ClusterView, name: string): string {
  placed.setNode(name, node(name));
  const { pods, requested } = placed.node(name) ?? { pods: new Map(), requested: { cpu: 0, memory: 0 } };
  return `${pods.size} cpu ${requested.cpu} memory ${requested.memory / 2 ** 30}`;
}

const full = "1 cpu 500 memory 1";
const empty = "0 cpu 0 memory 0";

describe("the room of a pod", () => {
  it("is taken when its node was chosen", () => {
    const placed = new ClusterView();
    placed.assume(asks, "n");
    expect([taken(placed, "n"), placed.isAssumed(uid)]).toEqual([full, true]);
  });

  it("is free again when its binding failed", () => {
    const placed = new ClusterView();
    placed.assume(asks, "n");
    placed.forget(uid);
    expect([taken(placed, "n"), placed.isAssumed(uid)]).toEqual([empty, false]);
  });

  it("stays taken while it is not known whether it was bound, and no longer", () => {
    const placed = new ClusterView();
    placed.assume(asks, "n");
    placed.doubt(uid);
    expect([taken(placed, "n"), placed.isDoubtful(uid)]).toEqual([full, true]);
    placed.assume(asks, "n");
    expect(placed.isDoubtful(uid)).toBe(false);
    placed.doubt(uid);
    placed.see(uid, on("n"));
    expect([placed.isDoubtful(uid), placed.isAssumed(uid)]).toEqual([false, false]);
    placed.doubt(uid);
    expect(placed.isDoubtful(uid)).toBe(false);
  });

  it("stays taken when the cache shows it bound although the answer said otherwise", () => {
    const placed = new ClusterView();
    placed.assume(asks, "n");
    placed.see(uid, on("n"));
    placed.forget(uid);
    expect(taken(placed, "n")).toBe(full);
  });

  it("stays taken while the cache is behind", () => {
    const placed = new ClusterView();
    placed.assume(asks, "n");
    expect(placed.see(uid, { ...asks, status: { phase: "Pending" } })).toBeUndefined();
    expect([taken(placed, "n"), placed.isAssumed(uid)]).toEqual([full, true]);
  });

  it("is where the server says, whatever was chosen", () => {
    const placed = new ClusterView();
    placed.assume(asks, "n");
    placed.see(uid, on("other"));
    expect([taken(placed, "n"), taken(placed, "other")]).toEqual([empty, full]);
  });

  it.each<[string, Pod | undefined]>([
    ["is gone", undefined],
    ["has succeeded", on("n", asks, "Succeeded")],
    ["has failed", on("n", asks, "Failed")],
  ])("is left when the pod %s", (_name, seen) => {
    const placed = new ClusterView();
    placed.see(uid, on("n"));
    expect(placed.see(uid, seen)?.uid).toBe(uid);
    expect(taken(placed, "n")).toBe(empty);
  });

  it("is left when a pod goes whose binding no cache has shown", () => {
    const placed = new ClusterView();
    placed.assume(asks, "n");
    expect(placed.see(uid, undefined)?.uid).toBe(uid);
    expect([taken(placed, "n"), placed.isAssumed(uid)]).toEqual([empty, false]);
  });

  it("follows what the pod asks for", () => {
    const placed = new ClusterView();
    placed.see(uid, on("n"));
    placed.see(uid, on("n", pod("a", { requests: { cpu: "2" } })));
    expect(taken(placed, "n")).toBe("1 cpu 2000 memory 0");
  });
});

it("after any changes each node has what its pods ask for, and no more", () => {
  const change = fc.record({
    name: fc.constantFrom("a", "b", "c"),
    node: fc.constantFrom("n", "m"),
    what: fc.constantFrom("assume", "forget", "see", "end", "go"),
    cpu: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const placed = new ClusterView();
      const model = new Map<
        string,
        { readonly node: string; readonly cpu: number; readonly sure: boolean }
      >();
      for (const { name, node: place, what, cpu } of changes) {
        const one = pod(name, { requests: { cpu: String(cpu) } });
        const id = one.metadata.uid;
        if (what === "assume") {
          if (model.get(name)?.sure === true) continue;
          placed.assume(one, place);
          model.set(name, { node: place, cpu, sure: false });
        } else if (what === "forget") {
          placed.forget(id);
          if (model.get(name)?.sure === false) model.delete(name);
        } else if (what === "see") {
          placed.see(id, on(place, one));
          model.set(name, { node: place, cpu, sure: true });
        } else {
          placed.see(id, what === "go" ? undefined : on(place, one, "Failed"));
          model.delete(name);
        }
      }
      for (const place of ["n", "m"]) {
        const there = [...model.values()].filter((entry) => entry.node === place);
        const cpu = there.reduce((sum, entry) => sum + entry.cpu, 0);
        expect(taken(placed, place)).toBe(`${there.length} cpu ${cpu * 1000} memory 0`);
      }
    }),
  );
});
