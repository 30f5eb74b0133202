import { expect, it } from "vitest";
import { createLimit } from "./limit.ts";

it("gives so many places, so many of them to one, and each once more when it is back", () => {
  const limit = createLimit({ all: 3, each: 2 });
  const back = limit.take("a");
  expect(limit.take("a")).toBeDefined();
  expect(limit.take("a")).toBeUndefined();
  expect(limit.take("b")).toBeDefined();
  expect(limit.take("c")).toBeUndefined();
  back?.();
  back?.();
  expect(limit.take("c")).toBeDefined();
  expect(limit.take("a")).toBeUndefined();
});
