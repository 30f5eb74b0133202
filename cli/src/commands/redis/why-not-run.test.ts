import { notFound } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { whyNotRun } from "./why-not-run.ts";

const key = { namespace: "shop", name: "cache-2" };

function podWith(state: object): { get(): Promise<Pick<Pod, "status">> } {
  const server = { name: "redis", image: "", imageID: "", ready: false, restartCount: 0, state };
  const other = { ...server, name: "exporter", state: { running: {} } };
  return { get: () => Promise.resolve({ status: { containerStatuses: [other, server] } }) };
}

it("tells a pod that is not there from a server that does not run", async () => {
  const missing = { get: () => Promise.reject(notFound({ group: "", plural: "pods" }, "cache-2")) };
  const creating = podWith({ waiting: { reason: "ContainerCreating" } });
  const unscheduled = { get: () => Promise.resolve({}) };
  await expect(whyNotRun(missing, key, "redis")).resolves.toContain("there is no pod shop/cache-2");
  await expect(whyNotRun(creating, key, "redis")).resolves.toContain("pod shop/cache-2 does not run");
  await expect(whyNotRun(unscheduled, key, "redis")).resolves.toContain("pod shop/cache-2 does not run");
});

it("knows no reason when the server runs", async () => {
  await expect(whyNotRun(podWith({ running: {} }), key, "redis")).resolves.toBeUndefined();
});

it("does not guess when it cannot ask", async () => {
  const away = { get: () => Promise.reject(new Error("connection refused")) };
  await expect(whyNotRun(away, key, "redis")).rejects.toThrow("connection refused");
});
