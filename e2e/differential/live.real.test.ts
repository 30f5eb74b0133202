import { realClock, realRandom } from "@kedge/machinery";
import { beforeAll, describe, expect, it } from "vitest";
import { startOracle } from "../real/oracle.ts";
import { oracleServer } from "./oracle-server.ts";
import { playAll } from "./player/play-all.ts";
import type { Play } from "./player/play.ts";
import { loadScripts } from "./script/load-scripts.ts";
import { againstRecorded } from "./transcript/against-recorded.ts";
import { describeDifferences } from "./transcript/compare.ts";
import { toTranscript } from "./transcript/to-transcript.ts";
import { requireTranscript } from "./transcript/transcript-files.ts";
import { transcriptToYaml } from "./transcript/transcript-yaml.ts";

const scripts = await loadScripts();
let [first, second]: (readonly Play[])[] = [];

beforeAll(async () => {
  await using oracle = await startOracle();
  const server = oracleServer(oracle);
  const stage = { server, clock: realClock, random: realRandom };
  first = await playAll(scripts, stage);
  second = await playAll(scripts, stage);
  await server.close();
});

describe("the real server answers as it is recorded", () => {
  it.for(scripts.map(({ name, title }, index) => ({ name, title, index })))(
    "$name: $title",
    async ({ index }, { annotate }) => {
      const play = first?.[index];
      if (play === undefined) throw new Error("it was not played");
      const { compared, differences } = againstRecorded(play);
      await annotate(`${compared} comparisons`, "count");
      expect(describeDifferences(differences)).toBe("");
    },
  );
});

it("records every transcript twice in a row without a change, to the letter", () => {
  const plays = [...(first ?? []), ...(second ?? [])];
  expect(plays).toHaveLength(2 * scripts.length);
  expect(plays.flatMap(changedLine)).toEqual([]);
});

/** Where a play would be recorded otherwise than it is: the script, and the first line that is another one. */
function changedLine(play: Play): readonly string[] {
  const { name } = play.script;
  const [now, before] = [transcriptToYaml(toTranscript(play)), requireTranscript(name)].map((text) =>
    text.split("\n"),
  );
  const line = before?.findIndex((text, index) => text !== now?.[index]) ?? 0;
  if (line === -1 && now?.length === before?.length) return [];
  return [`${name}, line ${line + 1}: ${now?.[line]} instead of ${before?.[line]}`];
}
