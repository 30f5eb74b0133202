import { messageOf } from "@kedge/machinery";
import { RE2JS } from "re2js";

/** A regular expression of a schema, in Go's dialect and in linear time. */
export interface Pattern {
  /** Why it is none, in Go's words as far as they are known. */
  readonly error: string | undefined;
  readonly matches: (text: string) => boolean;
}

/** Characters that a pattern may have. */
const longest = 10_000;

/** Linear time is that of the text for each part of the pattern: so many characters of both may be multiplied. */
const mostWork = 10_000_000;

/** Makes a `pattern` ready; it is compiled when it is first used. What is no regular expression matches nothing. */
export function compilePattern(pattern: string): Pattern {
  let known: RE2JS | { readonly why: string } | undefined;
  const compiled = (): RE2JS | { readonly why: string } => (known ??= compile(pattern));
  return {
    get error() {
      const found = compiled();
      return "why" in found ? found.why : undefined;
    },
    matches: (text) => {
      const found = compiled();
      return !("why" in found) && text.length * pattern.length <= mostWork && found.test(text);
    },
  };
}

function compile(pattern: string): RE2JS | { readonly why: string } {
  if (pattern.length > longest) return { why: `it has more than ${longest} characters` };
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return { why: messageOf(error) };
  }
}
