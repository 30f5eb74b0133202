import { configWords } from "./config-words.ts";

/** The directives of a redis.conf by name, with their values as they stand there. Comments and includes are left out. */
export function configLines(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "" || line.startsWith("#")) continue;
    const space = line.search(/\s/u);
    const name = (space === -1 ? line : line.slice(0, space)).toLowerCase();
    if (name !== "include") found.set(name, space === -1 ? "" : line.slice(space).trim());
  }
  return found;
}

/** A value as `CONFIG SET` takes it: without the quotes of the file. */
export function settingOf(value: string): string {
  return (configWords(value) ?? [value]).join(" ");
}
