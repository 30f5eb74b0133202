import type { NamespacedMeta } from "@kedge/machinery";
import { notFound, uid } from "@kedge/machinery";
import type { Patch } from "@kedge/client";
import { describe, expect, it } from "vitest";
import { ago, controller, stored } from "../testing/builders.ts";
import { adopters } from "./adopters.ts";
import { planOwnership } from "./plan.ts";
import { adoptAndRelease } from "./adopt-and-release.ts";

const selector = { matchLabels: { app: "web" } };
const child = (name: string, more: Partial<NamespacedMeta> = {}) => ({
  metadata: stored(name, { labels: { app: "web" }, ...more }),
});
const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: stored("set") };
const ours = { ownerReferences: [controller("ReplicaSet", "set")] };

describe("ownership", () => {
  const cases: readonly [string, ReturnType<typeof child>, "adopt" | "release" | "neither"][] = [
    ["takes what fits and nobody controls", child("a"), "adopt"],
    ["leaves what does not fit", child("a", { labels: { app: "other" } }), "neither"],
    ["leaves what another controls", child("a", { ownerReferences: [controller("X", "x")] }), "neither"],
    ["leaves what is on its way out", child("a", { deletionTimestamp: ago(0) }), "neither"],
    ["keeps what is its own and fits", child("a", ours), "neither"],
    ["releases its own that does not fit any more", child("a", { ...ours, labels: {} }), "release"],
    [
      "takes what has owners, but none that controls it",
      child("a", { ownerReferences: [{ ...controller("X", "x"), controller: false }] }),
      "adopt",
    ],
  ];
  it.each(cases)("%s", (_name, one, expected) => {
    const plan = planOwnership({ metadata: owner.metadata, selector }, [one]);
    const outcome = plan.adopt.length > 0 ? "adopt" : plan.release.length > 0 ? "release" : "neither";
    expect(outcome).toBe(expected);
  });

  it("does not change while the owner is being deleted", () => {
    const metadata = { ...owner.metadata, deletionTimestamp: ago(0) };
    const plan = planOwnership({ metadata, selector }, [child("a"), child("b", { ...ours, labels: {} })]);
    expect(plan).toEqual({ adopt: [], release: [] });
  });
});

describe("settling ownership", () => {
  const settle = async (read: () => Promise<{ metadata: NamespacedMeta }>) => {
    const sent: [string, Patch][] = [];
    await adoptAndRelease({
      owner,
      selector,
      children: [child("orphan"), child("stray", { ...ours, labels: {} })],
      read,
      patch: (key, patch) => {
        sent.push([key.name, patch]);
        return Promise.resolve();
      },
    });
    return sent;
  };
  const released = [
    "stray",
    {
      strategic: { metadata: { uid: "stray-uid", ownerReferences: [{ $patch: "delete", uid: "set-uid" }] } },
    },
  ];

  it("releases, and adopts by the uid of the child", async () => {
    expect(await settle(() => Promise.resolve({ metadata: owner.metadata }))).toEqual([
      released,
      ["orphan", { strategic: { metadata: { uid: "orphan-uid", ...ours } } }],
    ]);
  });

  const gone: readonly [string, () => Promise<{ metadata: NamespacedMeta }>][] = [
    ["is gone", () => Promise.reject(notFound({ group: "apps", plural: "replicasets" }, "set"))],
    [
      "is another of the same name",
      () => Promise.resolve({ metadata: stored("set", { uid: uid("other") }) }),
    ],
    ["is being deleted", () => Promise.resolve({ metadata: stored("set", { deletionTimestamp: ago(0) }) })],
  ];
  it.each(gone)("adopts nothing when the owner %s by now", async (_name, read) => {
    expect(await settle(read)).toEqual([released]);
  });
});

describe("who may adopt", () => {
  const set = (name: string, app: string) => ({
    metadata: stored(name),
    spec: { selector: { matchLabels: { app } } },
  });
  it("is whoever's selector an orphan fits", () => {
    const keys = adopters(child("a"), [set("one", "web"), set("two", "other")]);
    expect(keys.map(({ name }) => name)).toEqual(["one"]);
  });
  it("is nobody, when it has a controller or is on its way out", () => {
    expect(adopters(child("a", ours), [set("one", "web")])).toEqual([]);
    expect(adopters(child("a", { deletionTimestamp: ago(0) }), [set("one", "web")])).toEqual([]);
  });
});
