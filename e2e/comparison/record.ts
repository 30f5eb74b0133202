/**
 * Records what the real server answers: `node --conditions=kedge-source e2e/comparison/record.ts [part of a name]`.
 * What our code makes of it is not looked at here: the tests do that.
 */
import { startOracle } from "../real/oracle.ts";
import { askAll, writeRecording } from "./recording.ts";
import { serverOf } from "./server.ts";
import { topics } from "./topics.ts";

const [filter = ""] = process.argv.slice(2);
await using oracle = await startOracle();
const server = serverOf(oracle);
for (const topic of topics.filter(({ name }) => name.includes(filter))) {
  const recording = await askAll(topic, { server, namespace: topic.name });
  const changed = await writeRecording(topic.name, recording);
  process.stdout.write(
    `${changed ? "changed" : "unchanged"}  ${topic.name}: ${recording.comparisons.length} answers\n`,
  );
}
await server.close();
