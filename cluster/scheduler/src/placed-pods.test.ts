import { quantityToString } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlacedPods } from "./placed-pods.ts";
import { pod } from "./testing/builders.ts";

const asks = pod("a", { requests: { cpu: "500m", memory: "1Gi" } });
const { uid } = asks.metadata;

function on(node: string, one: Pod = asks, phase = "Running"): Pod {
  return { ...one, spec: { ...one.spec, nodeName: node }, status: { phase } };
}

function taken(placed: PlacedPods, node: string): string {
  const { count, requested } = placed.on(node);
  return [count, ...Array.from(requested, ([name, amount]) => `${name} ${quantityToString(amount)}`)].join(
    " ",
  );
}

const full = "1 cpu 500m memory 1Gi";

describe("the room of a pod", () => {
  it("is taken when its node was chosen", () => {
    const placed = new PlacedPods();
    placed.assume(asks, "n");
    expect([taken(placed, "n"), placed.isAssumed(uid)]).toEqual([full, true]);
  });

  it("is free again when its binding failed", () => {
    const placed = new PlacedPods();
    placed.assume(asks, "n");
    placed.forget(uid);
    expect([taken(placed, "n"), placed.hasAssumed]).toEqual(["0", false]);
  });

  it("stays taken while it is not known whether it was bound, and no longer", () => {
    const placed = new PlacedPods();
    placed.assume(asks, "n");
    placed.doubt(uid);
    expect([taken(placed, "n"), placed.isDoubtful(uid)]).toEqual([full, true]);
    placed.assume(asks, "n");
    expect(placed.isDoubtful(uid)).toBe(false);
    placed.doubt(uid);
    placed.see(uid, on("n"));
    expect([placed.isDoubtful(uid), placed.hasAssumed]).toEqual([false, false]);
    placed.doubt(uid);
    expect(placed.isDoubtful(uid)).toBe(false);
  });

  it("stays taken when the cache shows it bound although the answer said otherwise", () => {
    const placed = new PlacedPods();
    placed.assume(asks, "n");
    placed.see(uid, on("n"));
    placed.forget(uid);
    expect(taken(placed, "n")).toBe(full);
  });

  it("stays taken while the cache is behind", () => {
    const placed = new PlacedPods();
    placed.assume(asks, "n");
    expect(placed.see(uid, { ...asks, status: { phase: "Pending" } })).toBe(false);
    expect([taken(placed, "n"), placed.isAssumed(uid)]).toEqual([full, true]);
  });

  it("is where the server says, whatever was chosen", () => {
    const placed = new PlacedPods();
    placed.assume(asks, "n");
    placed.see(uid, on("other"));
    expect([taken(placed, "n"), taken(placed, "other")]).toEqual(["0", full]);
  });

  it.each<[string, Pod | undefined]>([
    ["is gone", undefined],
    ["has succeeded", on("n", asks, "Succeeded")],
    ["has failed", on("n", asks, "Failed")],
  ])("is left when the pod %s", (_name, seen) => {
    const placed = new PlacedPods();
    placed.see(uid, on("n"));
    expect(placed.see(uid, seen)).toBe(true);
    expect(taken(placed, "n")).toBe("0");
  });

  it("is left when a pod goes whose binding no cache has shown", () => {
    const placed = new PlacedPods();
    placed.assume(asks, "n");
    expect(placed.see(uid, undefined)).toBe(true);
    expect([taken(placed, "n"), placed.hasAssumed]).toEqual(["0", false]);
  });

  it("follows what the pod asks for", () => {
    const placed = new PlacedPods();
    placed.see(uid, on("n"));
    placed.see(uid, on("n", pod("a", { requests: { cpu: "2" } })));
    expect(taken(placed, "n")).toBe("1 cpu 2");
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
      const placed = new PlacedPods();
      const model = new Map<
        string,
        { readonly node: string; readonly cpu: number; readonly sure: boolean }
      >();
      for (const { name, node, what, cpu } of changes) {
        const one = pod(name, { requests: { cpu: String(cpu) } });
        const id = one.metadata.uid;
        if (what === "assume") {
          if (model.get(name)?.sure === true) continue;
          placed.assume(one, node);
          model.set(name, { node, cpu, sure: false });
        } else if (what === "forget") {
          placed.forget(id);
          if (model.get(name)?.sure === false) model.delete(name);
        } else if (what === "see") {
          placed.see(id, on(node, one));
          model.set(name, { node, cpu, sure: true });
        } else {
          placed.see(id, what === "go" ? undefined : on(node, one, "Failed"));
          model.delete(name);
        }
      }
      for (const node of ["n", "m"]) {
        const there = [...model.values()].filter((entry) => entry.node === node);
        const cpu = there.reduce((sum, entry) => sum + entry.cpu, 0);
        expect(taken(placed, node)).toBe(there.length === 0 ? "0" : `${there.length} cpu ${cpu}`);
      }
    }),
  );
});
