import { notFound } from "@kedge/machinery";
import { expect, it } from "vitest";
import { whyNotFound } from "./why-not-found.ts";

const key = { namespace: "shop", name: "cache-2" };

it("tells a pod that is not there from a server that does not run", async () => {
  const missing = { get: () => Promise.reject(notFound({ group: "", plural: "pods" }, "cache-2")) };
  const present = { get: () => Promise.resolve({}) };
  await expect(whyNotFound(missing, key)).resolves.toContain("there is no pod shop/cache-2");
  await expect(whyNotFound(present, key)).resolves.toContain("pod shop/cache-2 does not run");
});

it("does not guess when it cannot ask", async () => {
  const away = { get: () => Promise.reject(new Error("connection refused")) };
  await expect(whyNotFound(away, key)).rejects.toThrow("connection refused");
});
