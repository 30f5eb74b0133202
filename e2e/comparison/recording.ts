import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { inOrder } from "./json.ts";
import type { AnyTopic, Comparison, Stage } from "./topic.ts";

/** All that was asked about a topic. */
export interface Recording {
  readonly fixtures: unknown;
  readonly comparisons: readonly Comparison<unknown, unknown>[];
}

/** Asks the real server everything about a topic. */
export async function askAll(topic: AnyTopic, stage: Stage, seed = ""): Promise<Recording> {
  const { server, namespace } = stage;
  await server.ask({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
  // The controller-manager would make it; without it no pod is admitted.
  await server.ask({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    body: { metadata: { name: "default" } },
  });
  const fixtures = inOrder(await topic.prepare(stage));
  const inputs = topic.inputs(seed);
  const answers: Comparison<unknown, unknown>[][] = [];
  // A few at a time: the server has other cores, and the order of the answers does not matter.
  const next = inputs.entries();
  const work = async (): Promise<void> => {
    for (const [index, input] of next) {
      const reply = inOrder(await topic.ask(stage, input, fixtures));
      answers[index] = reply === undefined ? [] : [{ input, reply }];
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return { fixtures, comparisons: answers.flat() };
}

/** The recording of a topic in the repository. */
export function readRecording(name: string): Recording {
  const [first = "null", ...lines] = readFileSync(fileOf(name), "utf8").trimEnd().split("\n");
  return {
    fixtures: JSON.parse(first) as unknown,
    comparisons: lines.map((line) => JSON.parse(line) as Comparison<unknown, unknown>),
  };
}

/** Puts a recording into the repository. Says whether it was another before. */
export async function writeRecording(name: string, recording: Recording): Promise<boolean> {
  const file = fileOf(name);
  const text = recordingText(recording);
  const before = await readFile(file, "utf8").catch(() => "");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return before !== text;
}

/** How many answers of the server's a recording holds. */
export function countComparisons(topic: AnyTopic, { comparisons }: Recording): number {
  return comparisons.reduce((sum, { input }) => sum + (topic.comparisonsIn?.(input) ?? 1), 0);
}

/** One line for the fixtures and one for each comparison, so that a change is seen in a diff. */
function recordingText({ fixtures, comparisons }: Recording): string {
  return [fixtures ?? null, ...comparisons].map((line) => `${JSON.stringify(line)}\n`).join("");
}

function fileOf(name: string): string {
  return join(import.meta.dirname, "recordings", `${name}.jsonl`);
}
