import type { NetworkCommands } from "../commands.ts";
import type { TableContents } from "./ruleset.ts";

/** What the table of an earlier proxy has, so that clients keep their endpoints; undefined: there is none of ours. */
export async function contentsOf(
  commands: NetworkCommands,
  table: string,
): Promise<TableContents | undefined> {
  const text = await commands.nftQuery("-t", "list", "table", "ip", table).catch(() => "");
  // One of an older version has other chains: it is made anew.
  if (!/^\s*chain unled \{/mu.test(text)) return undefined;
  const names = (kind: "chain" | "set", pattern: string): readonly string[] =>
    Array.from(text.matchAll(new RegExp(`^\\s*${kind} (${pattern}) \\{`, "gmu")), ([, name = ""]) => name);
  return {
    chains: names("chain", "(?:cluster|local|external|balancer|endpoint)-[0-9a-f]{12}"),
    memories: names("set", "clients-[0-9a-f]{12}-\\d+"),
  };
}
