import { RE2JS } from "re2js";

/** A regular expression of a schema, in Go's dialect and in linear time. */
export interface Pattern {
  readonly matches: (text: string) => boolean;
  /** Why it is none, in Go's words as far as they are known. */
  readonly error: string | undefined;
}

/** Compiles a `pattern`. What is no regular expression matches nothing. */
export function compilePattern(pattern: string): Pattern {
  try {
    const compiled = RE2JS.compile(pattern);
    return { matches: (text) => compiled.test(text), error: undefined };
  } catch (error) {
    return { matches: () => false, error: error instanceof Error ? error.message : String(error) };
  }
}
