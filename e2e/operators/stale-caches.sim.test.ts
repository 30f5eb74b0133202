import type { Schedule } from "@kedge/testkit";
import { describe } from "vitest";
import { testSchedules } from "./testing/crash-matrix.ts";

const lags = [0, 1000, 5000, 20_000];
const seeds = [2, 3, 4, 5, 6];
const schedules: readonly Schedule[] = lags.flatMap((lag) => seeds.map((seed) => ({ seed, lag })));

describe("an operator whose caches are far behind comes to the same end", () => {
  testSchedules("redis", schedules);
  testSchedules("application", schedules);
});
