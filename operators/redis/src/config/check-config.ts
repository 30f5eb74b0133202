import type { Refusal } from "@kedge/runtime";
import { checkValue } from "./check-value.ts";
import { configWords } from "./config-words.ts";
import { expectedServer } from "./image-server.ts";
import { checkKnown } from "./known-directive.ts";
import { checkMaxmemory } from "./maxmemory.ts";
import { checkReserved, type ReservedContext } from "./reserved-directives.ts";

/** What directives are checked against. */
export interface ConfigContext extends ReservedContext {
  /** Of the server that is to read them. */
  readonly image: string;
  /** What the spec says of the image, whose tag may say nothing. */
  readonly redisVersion?: string | undefined;
  /** How much memory each container may have: a quantity. */
  readonly memoryLimit?: string | undefined;
}

/** Why directives of `spec.config` cannot be taken. Values that may be secrets are not repeated. */
export function checkConfig(
  config: Readonly<Record<string, string>> | undefined,
  context: ConfigContext,
): readonly Refusal[] {
  const names = new Map<string, string>();
  const all = Object.entries(config ?? {});
  const hasModule = all.some(([key]) => key.toLowerCase() === "loadmodule");
  return all
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => {
      const twin = names.get(key.toLowerCase());
      names.set(key.toLowerCase(), key);
      const why =
        twin === undefined
          ? checkDirective(key, value, { ...context, hasModule })
          : `is the same directive as ${twin}: keep one of them`;
      return why === undefined ? [] : [{ field: `spec.config[${JSON.stringify(key)}]`, message: why }];
    });
}

function checkDirective(
  key: string,
  value: string,
  context: ConfigContext & { readonly hasModule: boolean },
): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9._-]*$/u.test(key)) {
    return "is not the name of a directive: it must be letters, digits and dashes, as in maxmemory-policy";
  }
  const name = key.toLowerCase();
  const owner = checkReserved(name, value, context);
  if (owner !== undefined) return owner;
  const server = expectedServer(context.image, context.redisVersion);
  // What modules know is in no table.
  const stranger = context.hasModule ? undefined : checkKnown(name, server);
  if (stranger !== undefined) return stranger;
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001F\u007F]/u.test(value)) {
    return "has a value with a line break or another control character: a directive is one line";
  }
  if (configWords(value) === undefined) {
    return "has a value with a quote that is not closed, or is not followed by a space: Redis would not start";
  }
  const why = checkValue(name, value, server);
  if (why !== undefined) return why;
  return name === "maxmemory" ? checkMaxmemory(value, context.memoryLimit) : undefined;
}
