import { expect, it } from "vitest";
import { ifFound } from "./if-found.ts";
import { conflict, notFound } from "./status-errors.ts";

const pods = { group: "", plural: "pods" };

it("is the answer, or undefined when the object does not exist", async () => {
  expect(await ifFound(Promise.resolve("it"))).toBe("it");
  expect(await ifFound(Promise.reject(notFound(pods, "a")))).toBeUndefined();
});

it("throws what else went wrong", async () => {
  const error = conflict(pods, "a");
  await expect(ifFound(Promise.reject(error))).rejects.toBe(error);
});
