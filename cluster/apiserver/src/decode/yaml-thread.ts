import { parentPort, workerData } from "node:worker_threads";
import { readYaml, YamlError, type WhichDocument, type YamlText } from "./read-yaml.ts";

// The thread that `yaml-reader.ts` starts for a large text.

/** What the thread is told. */
export interface YamlTask {
  readonly text: string;
  readonly which: WhichDocument;
}

/** What the thread answers. */
export type YamlOutcome = YamlText | { readonly why: string };

const task: unknown = workerData;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
if (isTask(task)) parentPort?.postMessage(outcome(task));

function isTask(value: unknown): value is YamlTask {
  return typeof value === "object" && value !== null && "text" in value && "which" in value;
}

function outcome({ text, which }: YamlTask): YamlOutcome {
  try {
    return readYaml(text, which);
  } catch (error) {
    if (error instanceof YamlError) return { why: error.message };
    // Depth without brackets ends in a stack that is too small.
    if (error instanceof RangeError) return { why: "yaml: exceeded max depth" };
    return { why: error instanceof Error ? error.message : String(error) };
  }
}
