import { configLines, settingOf } from "./config-lines.ts";
import { directivesOf } from "./directive-table.ts";
import type { Server } from "./image-server.ts";

/** Directives and the values that they are to have, by name, as `CONFIG SET` takes them. */
export type Settings = ReadonlyMap<string, string>;

/** What leads from one redis.conf to another. */
export interface ConfigChange {
  /** Others that came before and are still to be set. */
  readonly from: string;
  readonly to: string;
  /** Directives that were changed live since `from`: they are to be set also when they are as they were. */
  readonly touched?: Iterable<string>;
}

/**
 * What is to be set in servers that were started with one redis.conf to make them as if started with another; undefined
 * when something of it needs a start. A directive that is gone gets the server's own standard.
 */
export function liveChange(
  { from, to, touched = [] }: ConfigChange,
  server: Server | undefined,
): Settings | undefined {
  const before = configLines(from);
  const after = configLines(to);
  const changed = [...before.keys(), ...after.keys()].filter((name) => before.get(name) !== after.get(name));
  const names = [...new Set([...changed, ...touched])].toSorted();
  const settings = new Map<string, string>();
  for (const name of names) {
    const [directive, other] = directivesOf(name, server);
    // Between two versions of the table nobody knows which of them is right.
    if (directive === undefined || other !== undefined || !directive.isLive || needsStart.has(name)) {
      return undefined;
    }
    const value = after.get(name);
    const wanted = value === undefined ? directive.standard : settingOf(value);
    // What is said of one class of clients leaves the others as they are: the standard of all comes first.
    const isPart = name === "client-output-buffer-limit" && value !== undefined;
    settings.set(name, isPart ? `${directive.standard} ${wanted}` : wanted);
  }
  return settings;
}

/**
 * What servers would set while they run, but not as it is meant: where they listen, and what the start of a pod reads to
 * know which file has the data.
 */
const needsStart = new Set(["bind", "port", "appendonly", "protected-mode", "rdbchecksum"]);

/** Settings as lines of redis.conf, for servers that start later. */
export function settingLines(settings: Settings): string {
  return [...settings].map(([name, value]) => `${name} ${lineValue(name, value)}\n`).join("");
}

/** A redis.conf with lines of settings in the place of its own. */
export function mergedConfig(text: string, lines: string): string {
  const names = new Set(configLines(lines).keys());
  const kept = text.split("\n").filter((line) => {
    const [name = ""] = line.trim().split(/\s/u, 1);
    return !names.has(name.toLowerCase());
  });
  const end = kept.findIndex((line) => line.startsWith("include "));
  return [...kept.slice(0, end), ...lines.trim().split("\n"), ...kept.slice(end)].join("\n");
}

/** Values of several words stand as such; others are quoted, which is right for all. */
function lineValue(name: string, value: string): string {
  if (severalWords.has(name) && value !== "") return value;
  return `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}

const severalWords = new Set([
  "save",
  "client-output-buffer-limit",
  "oom-score-adj-values",
  "latency-tracking-info-percentiles",
  "shutdown-on-sigint",
  "shutdown-on-sigterm",
]);
