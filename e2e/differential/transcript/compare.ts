import { escapeToken } from "../script/json-pointer.ts";
import type { Transcript, TranscriptStep } from "./transcript.ts";

/** What compared with what, and where they differ. */
export interface Comparison {
  /** How many answers and events were compared. */
  readonly compared: number;
  readonly differences: readonly Difference[];
}

/** One place where the answers differ. What is not there is undefined. */
export interface Difference {
  /** From 1; 0 is the script as a whole. */
  readonly step: number;
  /** The request, or the watch. */
  readonly what: string;
  /** JSON pointer into the step as the transcript shows it. */
  readonly path: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/** Compares what a server answered with what was recorded, or with what another one answered. */
export function compare(expected: Transcript, got: Transcript): Comparison {
  const differences: Difference[] = [];
  if (expected.stopped !== got.stopped) {
    differences.push({
      step: 0,
      what: got.title,
      path: "/stopped",
      expected: expected.stopped,
      got: got.stopped,
    });
  }
  const length = Math.max(expected.steps.length, got.steps.length);
  for (let index = 0; index < length; index++) {
    const [wanted, seen] = [expected.steps[index], got.steps[index]];
    const what = wanted === undefined ? nameOf(seen) : nameOf(wanted);
    for (const difference of differencesIn(wanted, seen, ""))
      differences.push({ step: index + 1, what, ...difference });
  }
  return { compared: expected.steps.reduce((sum, step) => sum + sizeOf(step), 0), differences };
}

/** The differences as text for people, empty when there are none. */
export function describeDifferences(differences: readonly Difference[]): string {
  return differences
    .map(({ step, what, path, expected, got }) => {
      const where = step === 0 ? what : `step ${step}, ${what}`;
      return `${where}\n  at ${path === "" ? "the step" : path}\n    expected ${show(expected)}\n    got      ${show(got)}\n`;
    })
    .join("");
}

function nameOf(step: TranscriptStep | undefined): string {
  if (step === undefined) return "";
  return "request" in step ? step.request : `events of ${step.events}`;
}

function sizeOf(step: TranscriptStep): number {
  if ("request" in step) return 1;
  if (Array.isArray(step.list)) return step.list.length;
  return new Set(Object.keys(step.list).map((pointer) => pointer.split("/")[1])).size;
}

type Found = Pick<Difference, "path" | "expected" | "got">;

function differencesIn(expected: unknown, got: unknown, path: string): readonly Found[] {
  if (!isObject(expected) || !isObject(got) || Array.isArray(expected) !== Array.isArray(got)) {
    return Object.is(expected, got) ? [] : [{ path, expected, got }];
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(got)]);
  return [...keys].flatMap((key) => differencesIn(expected[key], got[key], `${path}/${escapeToken(key)}`));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
