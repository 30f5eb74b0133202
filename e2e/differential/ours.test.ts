import { readFileSync } from "node:fs";
import { join } from "node:path";
import { realClock, realRandom } from "@kedge/machinery";
import { expect, it } from "vitest";
import { describeJudgement, judge, parseKnownFailures } from "./known-failures.ts";
import { ourServer } from "./our-server.ts";
import { playAll } from "./player/play-all.ts";
import { loadScripts } from "./script/load-scripts.ts";
import type { Script } from "./script/script.ts";
import { againstRecorded } from "./transcript/against-recorded.ts";

it("our server answers as the real one, but for the known failures", async ({ annotate }) => {
  const text = readFileSync(join(import.meta.dirname, "known-failures.txt"), "utf8");
  const knownFailures = parseKnownFailures(text);
  const isKnown = ({ name }: Script): boolean => knownFailures.includes(name);
  const scripts = await loadScripts();
  const server = await ourServer();
  const stage = { server, clock: realClock, random: realRandom };
  // Many of those that fail wait for what never comes.
  const plays = [
    ...(await playAll(scripts.filter(isKnown), { ...stage, patience: 5_000 })),
    ...(await playAll(
      scripts.filter((script) => !isKnown(script)),
      stage,
    )),
  ];
  await server.close();
  const results = plays.map(againstRecorded);
  const holding = results.filter(({ differences }) => differences.length === 0).length;
  await annotate(`${holding} of ${results.length} scripts hold`, "count");
  expect(describeJudgement(judge({ results, knownFailures }))).toBe("");
});
