import { describe, expect, it } from "vitest";
import { ago, now } from "../testing/builders.ts";
import { emptyingConditions, type Remains } from "./conditions.ts";

const told = (remains: readonly Remains[]): Record<string, string> =>
  Object.fromEntries(
    emptyingConditions(remains, [], now).map(({ type, status, reason, message }) => [
      type,
      `${status} ${reason}: ${message}`,
    ]),
  );

describe("what a namespace says while it is emptied", () => {
  it("is what is left, and which finalizers hold it", () => {
    const remains = [
      { resource: "pods.", objects: [{ finalizers: [] }, { finalizers: ["a/b"] }] },
      { resource: "configmaps.", objects: [{ finalizers: ["a/b", "c/d"] }] },
    ];
    expect(told(remains)).toMatchObject({
      NamespaceContentRemaining:
        "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, pods. has 2 resource instances",
      NamespaceFinalizersRemaining:
        "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a/b in 2 resource instances, c/d in 1 resource instances",
    });
  });

  it("is that all is gone, in five conditions", () => {
    expect(told([])).toEqual({
      NamespaceDeletionDiscoveryFailure: "False ResourcesDiscovered: All resources successfully discovered",
      NamespaceDeletionGroupVersionParsingFailure:
        "False ParsedGroupVersions: All legacy kube types successfully parsed",
      NamespaceDeletionContentFailure:
        "False ContentDeleted: All content successfully deleted, may be waiting on finalization",
      NamespaceContentRemaining: "False ContentRemoved: All content successfully removed",
      NamespaceFinalizersRemaining:
        "False ContentHasNoFinalizers: All content-preserving finalizers finished",
    });
  });

  it("keeps the time of a transition while the status stays", () => {
    const before = emptyingConditions([], [], now - 5000);
    const objects = [{ finalizers: [] }];
    const after = emptyingConditions([{ resource: "pods.", objects }], before, now);
    const timeOf = (type: string): string | undefined =>
      after.find((condition) => condition.type === type)?.lastTransitionTime;
    expect(timeOf("NamespaceFinalizersRemaining")).toBe(ago(5));
    expect(timeOf("NamespaceContentRemaining")).toBe(ago(0));
  });
});
