import type { Result } from "./transcript/against-recorded.ts";
import { describeDifferences } from "./transcript/compare.ts";

/** Where a player's results are otherwise than its list says. */
export interface Judgement {
  readonly unexpectedFailures: readonly Result[];
  /** Names that have to leave the list. */
  readonly unexpectedPasses: readonly string[];
  /** Names on the list that no script has. */
  readonly strangers: readonly string[];
}

/** What is to be judged. */
export interface Case {
  readonly results: readonly Result[];
  /** Names of the scripts that a player is known to fail. */
  readonly knownFailures: readonly string[];
}

/** Holds results against the list of known failures. The list can only shrink: what passes may not stay on it. */
export function judge({ results, knownFailures }: Case): Judgement {
  const known = new Set(knownFailures);
  const played = new Set(results.map(({ name }) => name));
  return {
    unexpectedFailures: results.filter((result) => !passed(result) && !known.has(result.name)),
    unexpectedPasses: results
      .filter((result) => passed(result) && known.has(result.name))
      .map(({ name }) => name),
    strangers: knownFailures.filter((name) => !played.has(name)),
  };
}

/** The judgement as text for people, empty when all is as the list says. */
export function describeJudgement({ unexpectedFailures, unexpectedPasses, strangers }: Judgement): string {
  return [
    ...unexpectedFailures.map(
      ({ name, differences }) => `FAILS  ${name}\n${describeDifferences(differences)}`,
    ),
    ...unexpectedPasses.map((name) => `PASSES  ${name}: take it off the list of known failures\n`),
    ...strangers.map((name) => `UNKNOWN  ${name}: no script of this name was played; take it off the list\n`),
  ].join("");
}

/** Reads a `known-failures.txt`: a name a line, sorted, so that its history shows what went; `#` begins a comment. */
export function parseKnownFailures(text: string): readonly string[] {
  const names = text
    .split("\n")
    .map((line) => line.replace(/#.*/u, "").trim())
    .filter((line) => line !== "");
  for (const [index, name] of names.entries()) {
    const before = names[index - 1];
    if (before === undefined || before < name) continue;
    throw new Error(
      before === name
        ? `known failures: ${name} is there twice`
        : `known failures: ${name} comes after ${before}; the names have to be sorted`,
    );
  }
  return names;
}

function passed({ differences }: Result): boolean {
  return differences.length === 0;
}
