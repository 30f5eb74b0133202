import type { ServedKind } from "@kedge/client";
import { uid } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { ago, stored } from "../testing/builders.ts";
import { createOwnerGraph, type Node } from "./graph.ts";
import { patchFor } from "./patch-for.ts";
import { planCollection, type CollectorAction, type OwnerState } from "./plan.ts";

const kind: ServedKind = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
  subresources: [],
  singular: "configmap",
  shortNames: [],
  categories: [],
  verbs: ["delete", "list", "watch"],
};

interface Setup {
  readonly owners?: readonly string[];
  readonly finalizers?: readonly string[];
  readonly going?: boolean;
  /** Whether its owners wait for it, if they wait. */
  readonly blocks?: boolean;
}

function node(name: string, { owners = [], finalizers, going = false, blocks = true }: Setup = {}): Node {
  return {
    kind,
    object: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: stored(name, {
        ownerReferences: owners.map((owner) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          name: owner,
          uid: uid(owner),
          blockOwnerDeletion: blocks,
        })),
        ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
        ...(going ? { deletionTimestamp: ago(0) } : {}),
      }),
    },
  };
}

function said(action: CollectorAction): string {
  const { name } = action.node.object.metadata;
  switch (action.type) {
    case "delete":
      return `delete ${name} ${action.propagation}`;
    case "drop owners":
      return `drop ${action.uids.join(" ")} from ${name}`;
    case "unblock owners":
      return `unblock owners of ${name}`;
    case "drop finalizer":
      return `drop ${action.finalizer} from ${name}`;
  }
}

describe("what is collected", () => {
  const waiting = { going: true, finalizers: ["foregroundDeletion"] };
  it.each<[string, Node, Record<string, OwnerState>, readonly Node[], readonly string[]]>([
    ["nothing that has no owner", node("a"), {}, [], []],
    ["nothing whose owner is there", node("a", { owners: ["x"] }), { x: "there" }, [], []],
    [
      "what has lost its only owner",
      node("a", { owners: ["x"] }),
      { x: "absent" },
      [],
      ["delete a Background"],
    ],
    [
      "what has lost all its owners",
      node("a", { owners: ["x", "y"] }),
      { x: "absent", y: "absent" },
      [],
      ["delete a Background"],
    ],
    [
      "not what one owner still has, but the other goes from it",
      node("a", { owners: ["x", "y"] }),
      { x: "absent", y: "there" },
      [],
      ["drop x from a"],
    ],
    [
      "an owner that waits is not one that is there",
      node("a", { owners: ["x", "y"] }),
      { x: "waits for us", y: "there" },
      [],
      ["drop x from a"],
    ],
    [
      "what its owner waits for",
      node("a", { owners: ["x"] }),
      { x: "waits for us" },
      [],
      ["delete a Background"],
    ],
    [
      "what its owner waits for, after what it owns itself",
      node("a", { owners: ["x"] }),
      { x: "waits for us" },
      [node("b", { owners: ["a-uid"] })],
      ["delete a Foreground"],
    ],
    [
      "by its own wish to set free what it owns",
      node("a", { owners: ["x"], finalizers: ["orphan"] }),
      { x: "absent" },
      [],
      ["delete a Orphan"],
    ],
    [
      "by its own wish to wait for what it owns",
      node("a", { owners: ["x"], finalizers: ["foregroundDeletion"] }),
      { x: "absent" },
      [],
      ["delete a Foreground"],
    ],
    [
      "in a circle, by letting its owners go first",
      node("a", { owners: ["x"] }),
      { x: "waits for us" },
      [node("x", { owners: ["a-uid"], ...waiting })],
      ["unblock owners of a"],
    ],
    [
      "in a circle, once its owners do not wait",
      node("a", { owners: ["x"], blocks: false }),
      { x: "waits for us" },
      [node("x", { owners: ["a-uid"], ...waiting })],
      ["delete a Foreground"],
    ],
    [
      "nothing that is on its way out already",
      node("a", { owners: ["x"], going: true }),
      { x: "absent" },
      [],
      [],
    ],
    ["first what it owns, of one that waits", node("a", waiting), {}, [node("b", { owners: ["a-uid"] })], []],
    ["then the one that waited", node("a", waiting), {}, [], ["drop foregroundDeletion from a"]],
    [
      "the one that waited, whatever does not block it",
      node("a", waiting),
      {},
      [node("b", { owners: ["a-uid"], blocks: false })],
      ["drop foregroundDeletion from a"],
    ],
    [
      "an orphaning one, when all that it owns is free",
      node("a", { going: true, finalizers: ["orphan"] }),
      {},
      [node("b", { owners: ["a-uid"] }), node("c", { owners: ["a-uid"] })],
      ["drop a-uid from b", "drop a-uid from c", "drop orphan from a"],
    ],
  ])("%s", (_name, subject, states, dependents, expected) => {
    const actions = planCollection({
      node: subject,
      dependents,
      ownerState: (owner) => states[owner.uid] ?? "there",
    });
    expect(actions.map(said)).toEqual(expected);
  });
});

describe("the patch of an action", () => {
  const subject = node("a", { owners: ["x", "y"], finalizers: ["orphan", "a/b"] });
  const { metadata } = subject.object;
  it("keeps the other owners", () => {
    const patch = patchFor({ type: "drop owners", node: subject, uids: ["x"] }, metadata);
    expect(patch).toMatchObject({ ownerReferences: [{ name: "y" }] });
  });
  it("keeps the other finalizers", () => {
    const patch = patchFor({ type: "drop finalizer", node: subject, finalizer: "orphan" }, metadata);
    expect(patch).toEqual({ finalizers: ["a/b"] });
  });
  it("makes owners not wait", () => {
    const patch = patchFor({ type: "unblock owners", node: subject }, metadata);
    expect(patch).toMatchObject({
      ownerReferences: [{ blockOwnerDeletion: false }, { blockOwnerDeletion: false }],
    });
  });
});

describe("the graph of owners", () => {
  const names = (nodes: readonly Node[]): readonly string[] =>
    nodes.map(({ object }) => object.metadata.name);
  it("knows who is owned before the owner is known", () => {
    const graph = createOwnerGraph();
    graph.set(node("b", { owners: ["a-uid"] }));
    expect(names(graph.dependents("a-uid"))).toEqual(["b"]);
    expect(graph.get("a-uid")).toBeUndefined();
  });
  it("follows a change of owners", () => {
    const graph = createOwnerGraph();
    graph.set(node("b", { owners: ["a-uid"] }));
    graph.set(node("b", { owners: ["c-uid"] }));
    expect(names(graph.dependents("a-uid"))).toEqual([]);
    expect(names(graph.dependents("c-uid"))).toEqual(["b"]);
  });
  it("forgets what is gone, but not what it owned", () => {
    const graph = createOwnerGraph();
    graph.set(node("a"));
    graph.set(node("b", { owners: ["a-uid"] }));
    graph.remove("a-uid");
    expect(graph.get("a-uid")).toBeUndefined();
    expect(names(graph.dependents("a-uid"))).toEqual(["b"]);
    graph.remove("b-uid");
    expect(names(graph.dependents("a-uid"))).toEqual([]);
  });
});
