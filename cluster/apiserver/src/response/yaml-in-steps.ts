import { isJsonList, isJsonObject, type Steps } from "@kedge/machinery";
import { stringify } from "yaml";

/** A value as YAML, at once: for what is small, or written by us. */
export function yamlText(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: "1.1" });
}

/** So many values are written in a step: our writer needs ten microseconds for one. */
const valuesInStep = 500;

/** The same text, in steps: objects of strangers may have 100,000 values. */
export function* yamlInSteps(value: unknown, mostAtOnce = valuesInStep): Steps<string> {
  yield;
  const sizes: Sizes = new Map();
  if (measure(value, sizes) <= mostAtOnce) return yamlText(value);
  yield;
  const pieces: string[] = [];
  yield* writeParts(value, pieces, { indent: "", mostAtOnce, sizes });
  yield;
  return pieces.join("");
}

/** How many values there are in each object and list: counting again at each level would take long. */
type Sizes = Map<object, number>;

interface Place {
  readonly sizes: Sizes;
  readonly indent: string;
  readonly mostAtOnce: number;
}

/** Writes fields or items one group after the other: the text of a whole is that of its parts. */
function* writeParts(value: unknown, pieces: string[], place: Place): Steps<void> {
  const { indent } = place;
  for (const part of partsOf(value, place)) {
    if ("small" in part) {
      pieces.push(indented(yamlText(part.small), indent));
      yield;
      continue;
    }
    const inner: string[] = [];
    yield* writeParts(part.large, inner, { ...place, indent: `${indent}  ` });
    if (part.key === undefined) {
      // The dash stands where the first line would begin.
      pieces.push(`${indent}- ${inner.join("").slice(indent.length + 2)}`);
    } else {
      const key = yamlText({ [part.key]: null }).slice(0, -" null\n".length);
      pieces.push(`${indented(key, indent)}\n`, ...inner);
    }
  }
}

type Part =
  | { readonly small: object }
  /** `key` is that of a field. */
  | { readonly large: unknown; readonly key: string | undefined };

/** Fields or items, as many together as may be written at once; those that are too large for that by themselves. */
function* partsOf(value: unknown, { mostAtOnce, sizes }: Place): Generator<Part, void> {
  const isList = isJsonList(value);
  const entries: Iterable<readonly [string | undefined, unknown]> = isList
    ? value.map((item) => [undefined, item] as const)
    : Object.entries(isJsonObject(value) ? value : {});
  let group: (readonly [string | undefined, unknown])[] = [];
  let count = 0;
  const made = (): Part => ({
    small: isList
      ? group.map(([, item]) => item)
      : Object.fromEntries(group.map(([key = "", field]) => [key, field])),
  });
  for (const [key, part] of entries) {
    const size = 1 + (typeof part === "object" && part !== null ? (sizes.get(part) ?? 0) : 0);
    if (group.length > 0 && count + size > mostAtOnce) {
      yield made();
      group = [];
      count = 0;
    }
    if (size > mostAtOnce) yield { large: part, key };
    else {
      group.push([key, part]);
      count += size;
    }
  }
  if (group.length > 0) yield made();
}

function measure(value: unknown, sizes: Sizes): number {
  const parts = isJsonList(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  let count = 0;
  for (const part of parts) count += 1 + measure(part, sizes);
  if (typeof value === "object" && value !== null) sizes.set(value, count);
  return count;
}

/** All lines but empty ones, further in. */
function indented(text: string, indent: string): string {
  return indent === "" ? text : text.replaceAll(/(^|\n)(?!\n|$)/gu, `$1${indent}`);
}
