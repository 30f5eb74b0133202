import type { ControllerRevision } from "@kedge/machinery/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import { statefulSet, stored } from "../testing/builders.ts";
import { planRevisions } from "./revisions.ts";

const template = (image: string) => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "main", image }] },
});

function revision(number: number, image: string): ControllerRevision {
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: stored(`db-r${number}`),
    data: { spec: { template: { ...template(image), $patch: "replace" } } },
    revision: number,
  };
}

describe("the revisions of a set", () => {
  it("begin with the spec's template, as a patch that puts it back", () => {
    const plan = planRevisions(statefulSet(1), [], new Set());
    const hash = plan.create?.metadata.labels?.["controller.kubernetes.io/hash"] ?? "";
    expect(hash).toMatch(/^[a-z0-9]{1,10}$/u);
    expect(plan.create).toMatchObject({
      metadata: {
        name: `db-${hash}`,
        labels: { app: "web" },
        ownerReferences: [{ kind: "StatefulSet", name: "db", controller: true }],
      },
      data: { spec: { template: { ...template("main:1"), $patch: "replace" } } },
      revision: 1,
    });
    expect(plan.update.name).toBe(plan.create?.metadata.name);
    expect(plan.current).toEqual(plan.update);
    expect(plan.forget).toEqual([]);
  });

  it("are not made again for a set that is being deleted", () => {
    const set = statefulSet(1);
    const going = { ...set, metadata: { ...set.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(planRevisions(going, [], new Set()).create).toBeUndefined();
  });

  it("know the template when it is the newest one's", () => {
    const plan = planRevisions(statefulSet(1), [revision(1, "main:0"), revision(2, "main:1")], new Set());
    expect(plan).toMatchObject({ update: { name: "db-r2" }, create: undefined, renumber: undefined });
  });

  it("count on for a template that is new", () => {
    const plan = planRevisions(statefulSet(1), [revision(4, "main:0")], new Set());
    expect(plan.create?.revision).toBe(5);
  });

  it("give an old template the newest number when the spec goes back to it", () => {
    const plan = planRevisions(statefulSet(1), [revision(1, "main:1"), revision(2, "main:0")], new Set());
    expect(plan.renumber).toMatchObject({ revision: { metadata: { name: "db-r1" } }, number: 3 });
    expect(plan.update.name).toBe("db-r1");
  });

  it("have as the current one what the status says, with its own template", () => {
    const set = { ...statefulSet(1), status: { replicas: 1, currentRevision: "db-r1" } };
    const plan = planRevisions(set, [revision(1, "main:0"), revision(2, "main:1")], new Set());
    expect(plan.current).toEqual({ name: "db-r1", template: template("main:0") });
  });

  it("are forgotten beyond the limit, but never those in use", () => {
    const set = {
      ...statefulSet(1, { revisionHistoryLimit: 1 }),
      status: { replicas: 1, currentRevision: "db-r2" },
    };
    const owned = [5, 4, 3, 2, 1].map((number) => revision(number, `main:${number + 10}`));
    const plan = planRevisions(set, [...owned, revision(6, "main:1")], new Set(["db-r3"]));
    expect(plan.forget.map(({ metadata }) => metadata.name)).toEqual(["db-r1", "db-r4"]);
  });

  it("take another name when theirs is taken by another template", () => {
    const first = planRevisions(statefulSet(1), [], new Set()).update.name;
    const taken = { ...revision(1, "main:0"), metadata: stored(first) };
    expect(planRevisions(statefulSet(1), [taken], new Set()).update.name).not.toBe(first);
  });
});
