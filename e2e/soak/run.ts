import { whyNoContainers } from "../node/needs.ts";
import { reportText } from "./report-text.ts";
import { soak } from "./soak.ts";

// `kedge bench soak`: node e2e/soak/run.ts <minutes>
const minutes = Number(process.argv[2] ?? "15");
const reason = whyNoContainers();
if (reason === undefined) {
  const report = await soak({
    durationMs: minutes * 60_000,
    killEveryMs: 20_000,
    onNews: (line) => process.stdout.write(`${line}\n`),
  });
  process.stdout.write(`\n${reportText(report)}`);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
} else {
  process.stderr.write(`soak: ${reason}\n`);
  process.exitCode = 1;
}
