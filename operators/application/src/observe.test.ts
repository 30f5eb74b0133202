import { uid, type DeepReadonly } from "@kedge/machinery";
import type { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { cachesOf, type HeldObject } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { labelsOf } from "./names.ts";
import { observe } from "./observe.ts";
import { applicationOf, deploymentFor, ownedMeta, rolledOut } from "./testing/builders.ts";

const application = applicationOf({ storage: { persistentVolumeClaims: [{ name: "data", size: "1Gi" }] } });
const other = applicationOf({}, { metadata: { uid: uid("other-uid") } });

describe("what there is of an application", () => {
  it.each<[string, number, DeepReadonly<Deployment>]>([
    ["its own Deployment", 1, deploymentFor(application, { status: rolledOut(3) })],
    ["not one that another controls", 0, deploymentFor(other, { status: rolledOut(3) })],
    [
      "not one that nobody controls",
      0,
      {
        ...deploymentFor(application),
        metadata: { ...deploymentFor(application).metadata, ownerReferences: [] },
      },
    ],
  ])("is %s, with its pods", (_title, count, deployment) => {
    const pod = { kind: Pod.kind, metadata: { ...ownedMeta("web-1"), labels: labelsOf("web") } };
    const observed = observe(cachesOf([deployment, pod]), application);
    expect([observed.deployment].filter((found) => found !== undefined)).toHaveLength(count);
    expect(observed.pods).toHaveLength(count);
  });

  const { ownerReferences: _owned, ...free } = ownedMeta("web-data");
  it.each<[string, boolean, HeldObject["metadata"]]>([
    ["that carries its label", true, { ...free, labels: { "apps.example.com/application": "web" } }],
    [
      "that carries its label and another name",
      false,
      { ...free, name: "data", labels: { "apps.example.com/application": "web" } },
    ],
    ["that an older version owned", true, ownedMeta("web-data")],
    ["that consents", true, { ...free, annotations: { "kedge.dev/adopt-by": "Application/web" } }],
    ["that somebody has made", false, free],
    ["that consents to another", false, { ...free, annotations: { "kedge.dev/adopt-by": "Application/x" } }],
    [
      "that consents and is not asked for",
      false,
      { ...free, name: "web-x", annotations: { "kedge.dev/adopt-by": "Application/web" } },
    ],
    [
      "that carries its label and is another's",
      false,
      { ...ownedMeta("web-data", other), labels: { "apps.example.com/application": "web" } },
    ],
  ])("of claims, one %s: %j", (_title, isOurs, metadata) => {
    const { claims } = observe(cachesOf([{ kind: PersistentVolumeClaim.kind, metadata }]), application);
    expect(claims).toHaveLength(isOurs ? 1 : 0);
  });
});
