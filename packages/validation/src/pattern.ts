import { messageOf } from "@kedge/machinery";
import { RE2JS } from "re2js";

/** A regular expression of a schema, in Go's dialect and in linear time. */
export interface Pattern {
  /** Why it is none, in Go's words as far as they are known. */
  readonly error: string | undefined;
  readonly matches: (text: string) => boolean;
  /** What of a text matches, from left to right, at most so many of them. */
  readonly findAll: (text: string, most: number) => string[];
}

/** Characters that a pattern may have. */
const longest = 10_000;

/** Linear time is that of the text for each part of the pattern: so many characters of both may be multiplied. */
export const mostWork = 10_000_000;

/** What a pattern was compiled to, or why it could not be. */
type Compiled = RE2JS | { readonly why: string };

/**
 * What was compiled last, by its text: a kind has the same few patterns in many fields, and each is looked at when the
 * kind is defined and again for its objects. They hold no state.
 */
const recent = new Map<string, Compiled>();
const mostRecent = 100;

/** Makes a `pattern` ready; it is compiled when it is first used. What is no regular expression matches nothing. */
export function compilePattern(pattern: string): Pattern {
  let known: Compiled | undefined;
  const compiled = (): Compiled => (known ??= recall(pattern));
  return {
    get error() {
      const found = compiled();
      return "why" in found ? found.why : undefined;
    },
    matches: (text) => {
      const found = compiled();
      return !("why" in found) && text.length * pattern.length <= mostWork && found.test(text);
    },
    findAll: (text, most) => {
      const found = compiled();
      const all: string[] = [];
      if ("why" in found) return all;
      const matcher = found.matcher(text);
      while (all.length < most && matcher.find()) all.push(matcher.group() ?? "");
      return all;
    },
  };
}

/** The one that was asked for last: an expression asks for the same one again and again. */
let latest: { readonly pattern: string; readonly compiled: Compiled } | undefined;

function recall(pattern: string): Compiled {
  if (latest?.pattern === pattern) return latest.compiled;
  const compiled = recallAny(pattern);
  latest = { pattern, compiled };
  return compiled;
}

function recallAny(pattern: string): Compiled {
  const found = recent.get(pattern) ?? compile(pattern);
  recent.delete(pattern);
  // A long one is rare, and takes much memory.
  if (pattern.length <= longestRecent) recent.set(pattern, found);
  const [oldest] = recent.keys();
  if (recent.size > mostRecent && oldest !== undefined) recent.delete(oldest);
  return found;
}

const longestRecent = 500;

function compile(pattern: string): Compiled {
  if (pattern.length > longest) return { why: `it has more than ${longest} characters` };
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return { why: messageOf(error) };
  }
}
