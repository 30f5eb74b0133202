import { describe, expect, it } from "vitest";
import { stored } from "../testing/builders.ts";
import { daemonSet, node, onNode, ready, taint, three, view } from "../testing/daemon-builders.ts";
import { createFailurePauses } from "./failure-pauses.ts";
import { hashLabel, podOfDaemonSet } from "./new-pod.ts";
import { daemonTolerations } from "./nodes.ts";
import { planDaemonRevisions } from "./revisions.ts";
import { reportDaemonSet } from "./status.ts";

describe("what a daemon set says of itself", () => {
  it("counts nodes", () => {
    const nodes = [...three, node("d", [taint("NoSchedule")])];
    const pods = [onNode("new", "a", ready), onNode("old", "b", { readyFor: 5 }), onNode("odd", "d", ready)];
    const { status, lookAgainAfter } = reportDaemonSet(view(daemonSet({ minReadySeconds: 30 }), nodes, pods));
    expect(status).toEqual({
      currentNumberScheduled: 2,
      numberMisscheduled: 1,
      desiredNumberScheduled: 3,
      numberReady: 2,
      observedGeneration: 2,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
      numberUnavailable: 2,
    });
    expect(lookAgainAfter).toBe(25_000);
  });
});

describe("the revisions of a daemon set", () => {
  const first = planDaemonRevisions(daemonSet(), [], new Set());
  const asStored = (number: number, image: string) => {
    const { create } = planDaemonRevisions(
      daemonSet({}, { containers: [{ name: "main", image }] }),
      [],
      new Set(),
    );
    return {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      data: create?.data,
      revision: number,
      metadata: stored(create?.metadata.name ?? "", { labels: create?.metadata.labels ?? {} }),
    };
  };
  it("get a new one for a new template, whose hash its pods carry", () => {
    expect(first.create).toMatchObject({
      metadata: { name: `agent-${first.hash}`, labels: { app: "agent", [hashLabel]: first.hash } },
      revision: 1,
    });
  });
  it("go back to one that was there before, with the newest number", () => {
    const [one, two] = [asStored(1, "main:1"), asStored(2, "main:2")];
    const { create, renumber, hash } = planDaemonRevisions(daemonSet(), [one, two], new Set());
    expect(create).toBeUndefined();
    expect(renumber).toMatchObject({ number: 3, revision: { revision: 1 } });
    expect(hash).toBe(first.hash);
  });
  it("are forgotten beyond the limit, the oldest first, but never what pods still use", () => {
    const all = ["main:1", "main:7", "main:8", "main:9", "main:10"].map((image, i) => asStored(i + 1, image));
    const used = new Set([all[1]?.metadata.labels?.[hashLabel] ?? ""]);
    const { forget } = planDaemonRevisions(daemonSet(), all, used);
    expect(forget.map(({ revision }) => revision)).toEqual([3, 4]);
  });
});

describe("a new pod of a daemon set", () => {
  it("is meant for its node, whatever its template requires, and tolerates a node in trouble", () => {
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: "x", operator: "Exists" }] }] };
    const preferred = [{ weight: 1, preference: { matchExpressions: [{ key: "y", operator: "Exists" }] } }];
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: required,
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    };
    const of = daemonSet({}, { affinity: { nodeAffinity } });
    of.metadata.annotations = { "deprecated.daemonset.template.generation": "4" };
    const { metadata, spec } = podOfDaemonSet(of, "a", "hash");
    expect(metadata.labels).toEqual({ app: "agent", [hashLabel]: "hash", "pod-template-generation": "4" });
    const matchFields = [{ key: "metadata.name", operator: "In", values: ["a"] }];
    expect(spec.affinity?.nodeAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    });
    expect(spec.tolerations).toHaveLength(6);
  });
  it("tolerates without end what its template tolerates for a while", () => {
    const key = "node.kubernetes.io/not-ready";
    const own = [{ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 }];
    expect(daemonTolerations(own, false)[0]).toEqual({ key, operator: "Exists", effect: "NoExecute" });
  });
});

describe("the pause before a failed pod is replaced", () => {
  it("is a second, and twice as long each time, until it was quiet for long", () => {
    const pauses = createFailurePauses();
    expect(pauses.left("a", 0)).toBe(0);
    pauses.replaced("a", 0);
    expect(pauses.left("a", 400)).toBe(600);
    pauses.replaced("a", 1000);
    expect(pauses.left("a", 1000)).toBe(2000);
    for (let i = 0; i < 20; i++) pauses.replaced("a", 2000);
    expect(pauses.left("a", 2000)).toBe(900_000);
    expect(pauses.left("a", 2000 + 1_800_001)).toBe(0);
    expect(pauses.left("b", 2000)).toBe(0);
  });
});
