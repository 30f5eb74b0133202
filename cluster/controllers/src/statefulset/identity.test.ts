import { describe, expect, it } from "vitest";
import { claim, statefulSet } from "../testing/builders.ts";
import { claimNames, claimsAt, isClaimOf, ordinalOf, podAt } from "./identity.ts";

describe("the place of a pod", () => {
  it.each([
    ["db-0", 0],
    ["db-12", 12],
    ["db-01", undefined],
    ["db-x", undefined],
    ["db", undefined],
    ["other-0", undefined],
    ["db-1-0", undefined],
  ])("%s is %s", (name, expected) => expect(ordinalOf("db", name)).toBe(expected));
});

describe("the pod at a place", () => {
  const volumeClaimTemplates = [{ ...claim("data"), metadata: { name: "data", labels: { kept: "yes" } } }];
  const set = statefulSet(3, { volumeClaimTemplates });
  const template = {
    metadata: { labels: { app: "web" } },
    spec: {
      containers: [],
      volumes: [
        { name: "data", emptyDir: {} },
        { name: "other", emptyDir: {} },
      ],
    },
  };

  it("has a name, labels and a host name of its own, and its claims as volumes", () => {
    expect(podAt(set, 2, { name: "db-r1", template })).toMatchObject({
      metadata: {
        name: "db-2",
        labels: {
          app: "web",
          "statefulset.kubernetes.io/pod-name": "db-2",
          "apps.kubernetes.io/pod-index": "2",
          "controller-revision-hash": "db-r1",
        },
        ownerReferences: [{ kind: "StatefulSet", name: "db", controller: true }],
      },
      spec: {
        hostname: "db-2",
        subdomain: "db",
        volumes: [
          { name: "data", persistentVolumeClaim: { claimName: "data-db-2" } },
          { name: "other", emptyDir: {} },
        ],
      },
    });
  });

  it("has claims with the set's labels and no owner", () => {
    const [made] = claimsAt(set, 2);
    expect(made?.metadata).toEqual({
      name: "data-db-2",
      namespace: "default",
      labels: { kept: "yes", app: "web" },
    });
    expect(made?.spec).toEqual(claim("data").spec);
    expect(claimNames(set, 2)).toEqual(["data-db-2"]);
  });

  it("has claims that are known by their names", () => {
    expect(isClaimOf(set, "data-db-7")).toBe(true);
    expect(isClaimOf(set, "data-other-7")).toBe(false);
  });
});
