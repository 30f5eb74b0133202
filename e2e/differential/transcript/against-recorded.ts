import type { Play } from "../player/play.ts";
import { compare, type Comparison } from "./compare.ts";
import { toTranscript } from "./to-transcript.ts";
import { requireTranscript } from "./transcript-files.ts";
import { transcriptFromYaml } from "./transcript-yaml.ts";

/** What one script's play came to. */
export interface Result extends Comparison {
  /** Of the script. */
  readonly name: string;
}

/** Compares what a server answered to a script with what is recorded for it. */
export function againstRecorded(play: Play): Result {
  const { name } = play.script;
  return { name, ...compare(transcriptFromYaml(requireTranscript(name)), toTranscript(play)) };
}
