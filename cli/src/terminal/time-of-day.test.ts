import { expect, it, vi } from "vitest";
import { createTimeOfDay } from "./time-of-day.ts";

it("makes one format, and only when a time is shown", () => {
  const made = vi.spyOn(Intl, "DateTimeFormat");
  const timeOfDay = createTimeOfDay();
  expect(made).not.toHaveBeenCalled();
  const noon = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" }).format(43_200_000);
  expect([timeOfDay(43_200_000), timeOfDay(43_200_000)]).toEqual([noon, noon]);
  expect(made).toHaveBeenCalledTimes(2);
});
