/**
 * Plays scripts on our own server and tells what differs from the transcripts:
 * `node --conditions=kedge-source e2e/differential/play-ours.ts [parts of names]`.
 */
import { realClock, realRandom } from "@kedge/machinery";
import { ourServer } from "./our-server.ts";
import { playAll } from "./player/play-all.ts";
import { loadScripts } from "./script/load-scripts.ts";
import { againstRecorded } from "./transcript/against-recorded.ts";
import { describeDifferences } from "./transcript/compare.ts";

const parts = process.argv.slice(2);
const scripts = (await loadScripts()).filter(
  ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
);
const server = await ourServer();
const plays = await playAll(scripts, { server, clock: realClock, random: realRandom, patience: 5_000 });
await server.close();
const failed = plays.map(againstRecorded).filter(({ differences }) => differences.length > 0);
for (const { name, differences } of failed)
  process.stdout.write(`${name}\n${describeDifferences(differences)}\n`);
process.stdout.write(`${plays.length - failed.length} of ${plays.length} scripts hold\n`);
if (failed.length > 0) process.exitCode = 1;
