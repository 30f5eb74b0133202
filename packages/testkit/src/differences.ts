import { isJsonList, isJsonObject } from "@kedge/machinery";

const mostShown = 30;
const longest = 300;

/** Says where two values differ: one line for each place, `path: this, not that`. */
export function differences(expected: unknown, found: unknown): readonly string[] {
  const lines = [...compare(expected, found, "")];
  const left = lines.length - mostShown;
  return left > 0 ? [...lines.slice(0, mostShown), `and ${left} more`] : lines;
}

function* compare(expected: unknown, found: unknown, path: string): Generator<string> {
  if (isJsonObject(expected) && isJsonObject(found)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      yield* compare(expected[key], found[key], path === "" ? key : `${path} › ${key}`);
    }
  } else if (isJsonList(expected) && isJsonList(found) && expected.length === found.length) {
    for (const [index, value] of expected.entries())
      yield* compare(value, found[index], `${path} › ${index}`);
  } else if (JSON.stringify(expected) !== JSON.stringify(found)) {
    yield `${path}: ${show(found)}, not ${show(expected)}`;
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
