import { expect, it } from "vitest";
import { partFigures } from "./growth.ts";

const life = (pid: number, memoryMiB: number, descriptors: number) =>
  [0.5, 1].map((part) => ({ role: "server" as const, pid, memoryMiB: memoryMiB * part, descriptors }));

it("is what the lives of a part have at their end, more from life to life", () => {
  const lives = Array.from({ length: 10 }, (_, index) =>
    life(index, 100 + index * 30, 40 + index * 10),
  ).flat();
  expect(partFigures(lives)[1]).toEqual({
    role: "server",
    lives: 10,
    memoryMiB: 370,
    descriptors: 130,
    growth: ["memoryMiB grew from 130 to 310", "descriptors grew from 50 to 110"],
  });
});

it("is not what comes and goes", () => {
  const lives = Array.from({ length: 10 }, (_, index) => life(index, 100 + (index % 3) * 30, 40)).flat();
  expect(partFigures(lives)[1]?.growth).toEqual([]);
});
