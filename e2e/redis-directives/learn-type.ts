import { whyNot, type RealServer } from "./real-servers.ts";

/**
 * What values a directive takes, as the operator's table writes it: `bool`, `enum:a,b`, `enums:a,b` (several words),
 * `int:0..9`, `memory:0..9`, `share:0..9` (memory or percent), `octal:0..511`, `text` (any word), `other` (only the
 * server can tell). Undefined: the server does not know the directive.
 */
export async function learnType(server: RealServer, name: string): Promise<string | undefined> {
  const ask = (value: string): Promise<string | undefined> => whyNot(server, `${name} ${value}`);
  const why = await ask("no-such-value");
  if (why === undefined) return (await ask("one two")) === undefined ? "other" : "text";
  if (why.startsWith("Bad directive")) return (await ask("one two")) === why ? undefined : "other";
  if (why === "argument must be 'yes' or 'no'") return "bool";
  const [, words] = /must be one of the following: (.*)$/u.exec(why) ?? [];
  if (words !== undefined) {
    const list = words.split(", ");
    const [first = "", second = first] = list;
    const isOne = (await ask(`${first} ${second}`)) === "wrong number of arguments";
    return `${isOne ? "enum" : "enums"}:${list.join(",")}`;
  }
  const kind = kinds.find(([text]) => why === text)?.[1];
  return kind === undefined ? "other" : `${kind}:${await rangeOf(ask, kind)}`;
}

const kinds = [
  ["argument couldn't be parsed into an integer", "int"],
  ["argument must be a memory value", "memory"],
  ["argument must be a memory or percent value", "share"],
  ["argument couldn't be parsed as an octal number", "octal"],
] as const;

async function rangeOf(ask: (value: string) => Promise<string | undefined>, kind: string): Promise<string> {
  const extremes =
    kind === "int"
      ? ["-9223372036854775808", "9223372036854775807"]
      : kind === "octal"
        ? ["0", "777777"]
        : ["0", "18446744073709551615"];
  const [lowest = "", highest = ""] = extremes;
  for (const value of extremes) {
    const [, from, to] = /between (\S+) and (\S+) inclusive/u.exec((await ask(value)) ?? "") ?? [];
    if (from !== undefined && to !== undefined) {
      return kind === "octal" ? `${Number.parseInt(from, 8)}..${Number.parseInt(to, 8)}` : `${from}..${to}`;
    }
  }
  return `${lowest}..${highest}`;
}
