import { resourceVersion, uid } from "@kedge/machinery";
import { expect, it } from "vitest";
import { serviceOf } from "./services.ts";

const instance = { namespace: "shop", name: "cache" };
const stored = {
  uid: uid("s"),
  resourceVersion: resourceVersion("7"),
  creationTimestamp: "2026-11-16T00:00:00Z",
};

function leadingTo(pod: string): Parameters<typeof serviceOf>[2] {
  const { spec } = serviceOf(instance, pod);
  return { apiVersion: "v1", kind: "Service", metadata: { ...stored, ...instance }, spec } as never;
}

it.each([
  ["is made", undefined, undefined],
  ["stays where it leads", leadingTo("cache-1"), undefined],
  ["is moved only as it was seen", leadingTo("cache-0"), "7"],
])("the Service of the primary %s", (_what, found, version) => {
  const { metadata, spec } = serviceOf(instance, "cache-1", found);
  expect(metadata.resourceVersion).toBe(version);
  expect(spec?.selector).toMatchObject({ "statefulset.kubernetes.io/pod-name": "cache-1" });
});
