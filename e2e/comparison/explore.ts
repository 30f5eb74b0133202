/**
 * Asks what is not recorded: `node --conditions=kedge-source e2e/comparison/explore.ts SEED [part of a name]`. Prints
 * where our code and the real server differ.
 */
import { isDeepStrictEqual } from "node:util";
import { startOracle } from "../real/oracle.ts";
import { inOrder } from "./json.ts";
import { askAll, countComparisons } from "./recording.ts";
import { serverOf } from "./server.ts";
import { topics } from "./topics.ts";

const [seed, filter = ""] = process.argv.slice(2);
if (seed === undefined) throw new Error("which seed? Any text will do");
await using oracle = await startOracle();
const server = serverOf(oracle);
for (const topic of topics.filter(({ name }) => name.includes(filter))) {
  const recording = await askAll(topic, { server, namespace: topic.name }, seed);
  let differences = 0;
  for (const comparison of recording.comparisons) {
    const theirs = comparison.reply;
    const ours = JSON.parse(JSON.stringify(inOrder(topic.ours(comparison, recording.fixtures)))) as unknown;
    if (isDeepStrictEqual(theirs, ours)) continue;
    differences++;
    print(`${topic.titleOf(comparison.input)}\n  input ${JSON.stringify(comparison.input)}`);
    print(`  real  ${JSON.stringify(theirs)}\n  ours  ${JSON.stringify(ours)}`);
  }
  print(`${topic.name}: ${countComparisons(topic, recording)} comparisons, ${differences} differ`);
  if (differences > 0) process.exitCode = 1;
}
await server.close();

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
