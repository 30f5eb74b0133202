import { writeFile } from "node:fs/promises";
import { directiveGroups } from "@kedge/redis-operator/config";
import { learnLive } from "./learn-live.ts";
import { learnType } from "./learn-type.ts";
import { realServers } from "./real-servers.ts";

// Writes the operator's table of what each directive takes, as the servers themselves say it:
// node --conditions=kedge-source e2e/redis-directives/generate.ts && node_modules/.bin/oxfmt

/** What is not a value (commands to the reader of the file), or has no standard that would be the same tomorrow. */
const leftOut = new Set("dir include loadmodule rename-command replicaof slaveof unixsocket user".split(" "));

const known = directiveGroups.flatMap(({ since, names }) =>
  names
    .split(/\s+/u)
    .filter((name) => name !== "" && !leftOut.has(name))
    .map((name) => ({ name, since })),
);
const servers = await realServers();
const lines = new Map<string, string[]>();
for (const server of servers) {
  const title = `${server.program}-${server.version}`;
  const names = known.filter(({ since }) => since[server.program] !== undefined).map(({ name }) => name);
  const live = await learnLive(server, names);
  for (const name of names) {
    const type = await learnType(server, name);
    const facts = live.get(name);
    // Redis 8 takes any name for that of a module's directive, and has no value for it.
    if (type === undefined || (type === "other" && facts === undefined)) continue;
    const change = facts?.isLive === true ? "live" : "start";
    const line = `${change} ${type} ${JSON.stringify(facts?.standard ?? "")}`;
    const entry = `${name} ${line}`;
    lines.set(entry, [...(lines.get(entry) ?? []), title]);
  }
}
const rows = [...lines]
  .map(([entry, titles]) => {
    const [name = "", ...rest] = entry.split(" ");
    const who = titles.length === servers.length ? "*" : titles.join(",");
    return `${name} ${who} ${rest.join(" ")}`;
  })
  .toSorted();
const text = `/**
 * What each directive takes, by version, as the servers themselves say it. Made by e2e/redis-directives/generate.ts; how it
 * is read: directive-table.ts.
 */
export const directiveText = String.raw\`
${rows.join("\n")}
\`;
`;
await writeFile(new URL("../../operators/redis/src/config/directive-text.ts", import.meta.url), text);
