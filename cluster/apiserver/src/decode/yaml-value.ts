import type { Document } from "yaml";
import { DecodeError } from "./decode-error.ts";

/** The value of a YAML document, as if it had been written in JSON: dates are text. Throws a `DecodeError`. */
export function yamlValue(document: Document): unknown {
  try {
    // Aliases of aliases could make gigabytes of a few lines.
    const value: unknown = document.toJS({ maxAliasCount: 1000 });
    const plain: unknown = JSON.parse(JSON.stringify(value) ?? "null");
    return plain;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const [, anchor] = /^Unresolved alias .*: (.*)$/u.exec(why) ?? [];
    throw new DecodeError(
      anchor === undefined ? `yaml: ${why}` : `yaml: unknown anchor '${anchor}' referenced`,
      {
        cause,
      },
    );
  }
}
