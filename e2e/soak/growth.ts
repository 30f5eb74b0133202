import { roles, type Role, type Sample } from "./part-processes.ts";

/** What a part had at most, and whether that grew. */
export interface PartFigures {
  readonly role: Role;
  readonly lives: number;
  readonly memoryMiB: number;
  readonly descriptors: number;
  /** What grew although nothing more was to be done, in words. */
  readonly growth: readonly string[];
}

/** Fewer lives, or fewer samples of one life, show no growth. */
const fewest = 6;

/** More than this is a leak: less comes and goes with what happens to be under way. */
const allowed = {
  memoryMiB: (before: number) => before * 1.5 + 64,
  descriptors: (before: number) => before * 1.5 + 16,
};

/**
 * Compares the first third with the last one. A part that is killed again and again is compared by what its lives had
 * at their end; the supervisor, which is not, by all samples.
 */
export function partFigures(samples: readonly Sample[]): readonly PartFigures[] {
  return roles.map((role) => {
    const own = samples.filter((sample) => sample.role === role);
    const ends = [...new Map(own.map((sample) => [sample.pid, sample])).values()];
    // The last life has not come to its end.
    const series = role === "supervisor" ? own : ends.slice(0, -1);
    return {
      role,
      lives: ends.length,
      memoryMiB: Math.max(...own.map((sample) => sample.memoryMiB)),
      descriptors: Math.max(...own.map((sample) => sample.descriptors)),
      growth: (["memoryMiB", "descriptors"] as const).flatMap((what) =>
        growthOf(
          what,
          series.map((sample) => sample[what]),
        ),
      ),
    };
  });
}

function growthOf(what: keyof typeof allowed, series: readonly number[]): readonly string[] {
  if (series.length < fewest) return [];
  const third = Math.floor(series.length / 3);
  const [before, after] = [median(series.slice(0, third)), median(series.slice(-third))];
  if (after <= allowed[what](before)) return [];
  return [`${what} grew from ${before.toFixed(0)} to ${after.toFixed(0)}`];
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
