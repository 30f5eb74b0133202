import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { VolumeAttributesClass } from "@kedge/machinery/kinds/storage/v1";
import { startTestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";

it("keeps a class of volume attributes while a claim names it", async () => {
  await using env = await startTestEnv({ operators: [] });
  const key = { name: "fast" };
  const claim = { namespace: "default", name: "data" };
  await env.create(VolumeAttributesClass, {
    metadata: key,
    driverName: "a.example.com",
    parameters: { iops: "5" },
  });
  await env.create(PersistentVolumeClaim, {
    metadata: claim,
    spec: {
      accessModes: ["ReadWriteOnce"],
      volumeAttributesClassName: "fast",
      resources: { requests: { storage: "1Gi" } },
    },
  });
  await env.run(env.client.of(VolumeAttributesClass).delete(key));
  await env.untilQuiet();
  const waiting = await env.run(env.client.of(VolumeAttributesClass).get(key));
  expect(waiting.metadata.finalizers).toEqual(["kubernetes.io/vac-protection"]);
  await env.run(env.client.of(PersistentVolumeClaim).delete(claim));
  await env.eventuallyGone(VolumeAttributesClass, key);
});
