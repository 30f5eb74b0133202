/** What INFO says: its lines `name:value`, whatever their section. */
export type Info = ReadonlyMap<string, string>;

/** Reads the text of INFO. Lines that are none are passed over: servers and modules add what they like. */
export function parseInfo(text: string): Info {
  const found = new Map<string, string>();
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0 && !line.startsWith("#")) found.set(line.slice(0, colon), line.slice(colon + 1).trimEnd());
  }
  return found;
}

/** A number of INFO; undefined when it is not there or none. */
export function infoNumber(info: Info, name: string): number | undefined {
  const text = info.get(name);
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** `a=1,b=2`, as lists of replicas and databases are written. */
export function infoFields(value: string): ReadonlyMap<string, string> {
  return new Map(
    value.split(",").map((part) => {
      const equals = part.indexOf("=");
      return equals === -1 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
    }),
  );
}
