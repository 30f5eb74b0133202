/**
 * Records what the real server answers: `node --conditions=kedge-source e2e/differential/record.ts [parts of names]`.
 * Every script is played five times, and what differs is not recorded: two are not enough where Go chooses an order.
 */
import { realClock, realRandom } from "@kedge/machinery";
import { startOracle } from "../real/oracle.ts";
import { oracleServer } from "./oracle-server.ts";
import { playAll } from "./player/play-all.ts";
import type { Play } from "./player/play.ts";
import { loadScripts } from "./script/load-scripts.ts";
import { compare, describeDifferences } from "./transcript/compare.ts";
import { toTranscript } from "./transcript/to-transcript.ts";
import { removeTranscript, transcriptNames, writeTranscript } from "./transcript/transcript-files.ts";
import { transcriptToYaml } from "./transcript/transcript-yaml.ts";

const parts = process.argv.slice(2);
const scripts = (await loadScripts()).filter(
  ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
);
await using oracle = await startOracle();
const server = oracleServer(oracle);
const stage = { server, clock: realClock, random: realRandom };
const plays = await playAll(scripts, stage);
const complete = plays.filter(({ stopped }) => stopped === undefined).map(({ script }) => script);
const again: Play[] = [];
for (let round = 2; round <= 5; round++) again.push(...(await playAll(complete, stage)));
await server.close();

for (const play of plays) {
  const { name } = play.script;
  const transcript = toTranscript(play);
  const differences = again
    .filter(({ script }) => script === play.script)
    .map((other) => describeDifferences(compare(transcript, toTranscript(other)).differences))
    .find((text) => text !== "");
  if (play.stopped !== undefined) {
    fail(
      `FAILED  ${name}: ${play.stopped}\n  the last that was seen: ${JSON.stringify(transcript.steps.at(-1))}`,
    );
  } else if (differences !== undefined) {
    fail(`UNSTABLE  ${name}: another time it was otherwise\n${differences}`);
  } else {
    const outcome = await writeTranscript(name, transcriptToYaml(transcript));
    if (outcome !== "unchanged") print(`${outcome}  ${name}`);
  }
}
if (parts.length === 0) {
  const known = new Set(scripts.map(({ name }) => name));
  for (const name of await transcriptNames()) {
    if (known.has(name)) continue;
    await removeTranscript(name);
    print(`removed  ${name}`);
  }
}
print(`${plays.length} scripts, played five times`);

function fail(line: string): void {
  process.exitCode = 1;
  print(line);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
