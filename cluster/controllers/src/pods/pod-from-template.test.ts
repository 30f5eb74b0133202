import { uid } from "@kedge/machinery";
import { expect, it } from "vitest";
import { podFromTemplate } from "./pod-from-template.ts";

it("a pod has its template's labels, annotations, finalizers and spec, and its owner", () => {
  const metadata = { namespace: "default", name: "web", uid: uid("u") };
  const template = {
    metadata: { labels: { a: "1" }, annotations: { b: "2" }, finalizers: ["x/y"], name: "ignored" },
    spec: { containers: [{ name: "main", image: "main:1" }] },
  };
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata };
  const pod = podFromTemplate(template, owner, { generateName: "web-" });
  expect(pod).toEqual({
    metadata: {
      generateName: "web-",
      namespace: "default",
      labels: { a: "1" },
      annotations: { b: "2" },
      finalizers: ["x/y"],
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "web",
          uid: "u",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: template.spec,
  });
  pod.metadata.labels["c"] = "3";
  expect(template.metadata.labels).toEqual({ a: "1" });
});
