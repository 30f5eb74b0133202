import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadScripts, scriptsFolder, yamlNamesIn } from "./script/load-scripts.ts";
import { parseScript } from "./script/parse-script.ts";
import type { Step } from "./script/script.ts";
import { requestLine } from "./transcript/to-transcript.ts";
import { requireTranscript, transcriptNames } from "./transcript/transcript-files.ts";
import { transcriptFromYaml, transcriptToYaml } from "./transcript/transcript-yaml.ts";

const names = await yamlNamesIn(scriptsFolder);

it("has a transcript for every script, and a script for every transcript", async () => {
  expect(await transcriptNames()).toEqual(names);
});

it("states every behaviour once", async () => {
  const titles = (await loadScripts()).map(({ title }) => title);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

describe.each(names)("%s", (name) => {
  it("is recorded as it is written now", () => {
    const script = parseScript(name, readFileSync(join(scriptsFolder, `${name}.yaml`), "utf8"));
    const { title, steps, stopped } = transcriptFromYaml(requireTranscript(name));
    expect(title).toBe(script.title);
    expect(steps.map((step) => ("request" in step ? step.request : step.events))).toEqual(
      script.steps.map(headOf),
    );
    expect(stopped).toBeUndefined();
  });

  it("has a transcript that is the same when it is read and written again", () => {
    const text = requireTranscript(name);
    expect(transcriptToYaml(transcriptFromYaml(text))).toBe(text);
  });
});

function headOf(step: Step): string {
  return step.kind === "events" ? step.events : requestLine(step);
}
