import { goQuote } from "@kedge/machinery";
import { scanJson } from "./scan-json.ts";

/** Kubernetes tells so many. */
const mostErrors = 100;

/** What is known of a body beside its value. */
export interface BodyText {
  /** The JSON that it was, if it was JSON and something in it is there twice or may be unknown. */
  readonly json: string | undefined;
  readonly hasDuplicates: boolean;
  /** Whether some numbers are as `readWritten` leaves them. */
  readonly hasWritten: boolean;
}

/** How what was found is put in order. */
export type StrictOrder =
  /** As it stands in the text: objects of built-in kinds. */
  | "text"
  /** What is there twice first: patches, whose text is not that of the object. */
  | "duplicates first"
  /** What is there twice last: custom resources, which name what they prune in an order of their own. */
  | "duplicates last";

/** The texts about fields that are unknown or there twice, each once. */
export function strictErrors(
  unknown: readonly string[],
  text: BodyText,
  order: StrictOrder,
): readonly string[] {
  const { json, hasDuplicates } = text;
  if (order === "text" && json !== undefined && (unknown.length > 0 || hasDuplicates))
    return inOrderOfText(new Set(unknown), json);
  const duplicates = json !== undefined && hasDuplicates ? inOrderOfText(new Set(), json) : [];
  // Of YAML, fields are told in the order of their names.
  const named = order === "text" ? unknown.toSorted() : unknown;
  const unknownTexts = named.map(unknownText);
  if (order === "duplicates last") return [...new Set([...unknownTexts, ...duplicates])];
  return [...new Set([...duplicates, ...unknownTexts])].slice(0, mostErrors);
}

function inOrderOfText(unknown: ReadonlySet<string>, json: string): readonly string[] {
  const found = new Set<string>();
  scanJson(json, (pathOf, { repeated }) => {
    if (!repeated && unknown.size === 0) return false;
    const path = pathOf();
    if (repeated) found.add(`duplicate field ${goQuote(path)}`);
    else if (unknown.has(path)) found.add(unknownText(path));
    return found.size >= mostErrors;
  });
  return [...found];
}

function unknownText(path: string): string {
  return `unknown field ${goQuote(path)}`;
}
