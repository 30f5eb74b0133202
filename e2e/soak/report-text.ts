import type { SoakReport } from "./soak.ts";

/** The figures of a soak, for people. */
export function reportText(report: SoakReport): string {
  const { objects, keys, problems } = report;
  const kills = [...report.returns.values()].reduce((total, { length }) => total + length, 0);
  const lines = [
    `${(report.durationMs / 60_000).toFixed(1)} minutes of churn, ${kills} kills`,
    `  object writes    ${objects.acknowledged} acknowledged, ${objects.lost} lost (${objects.unanswered} unanswered)`,
    `  Redis keys       ${keys.acknowledged} acknowledged, ${keys.lost} lost`,
    `  pods             ${report.pods} created and deleted`,
    `  RedisInstances   ${report.instances} created, used and deleted`,
    "",
    "  part        lives  memory MiB  descriptors  back after s (median, longest)",
    ...report.parts.map(({ role, lives, memoryMiB, descriptors }) => {
      const times = [...report.returns].find(([one]) => one === role)?.[1] ?? [];
      const cells = [
        role.padEnd(10),
        String(lives).padStart(5),
        memoryMiB.toFixed(0).padStart(10),
        String(descriptors).padStart(11),
      ];
      return `  ${[...cells, returnText(times)].join("  ").trimEnd()}`;
    }),
    "",
    problems.length === 0
      ? "Nothing was lost, nothing was left behind."
      : `${problems.length} problems:\n${problems.map((one) => `  ${one}`).join("\n")}`,
  ];
  return `${lines.join("\n")}\n`;
}

function returnText(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const [middle, longest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  if (middle === undefined || longest === undefined) return "";
  return `${(middle / 1000).toFixed(1)}, ${(longest / 1000).toFixed(1)}`;
}
