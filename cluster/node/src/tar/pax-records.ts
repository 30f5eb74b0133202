import { TarError } from "./tar-error.ts";

/** Reads `30 path=some/long/name\n` and so on; the last one of a key counts. Values are bytes. */
export function readPaxRecords(content: Buffer): ReadonlyMap<string, Buffer> {
  const records = new Map<string, Buffer>();
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const length =
      space === -1 || space - at > 10 ? Number.NaN : Number(content.toString("latin1", at, space));
    const end = at + length;
    // A record holds at least its length, a space, a key, an equals sign and a line feed.
    if (!Number.isInteger(length) || end > content.length || end <= space + 2 || content[end - 1] !== 0x0a) {
      throw new TarError("an extended header is damaged");
    }
    const equals = content.indexOf(0x3d, space + 1);
    if (equals === -1 || equals >= end) throw new TarError("an extended header is damaged");
    records.set(content.toString("latin1", space + 1, equals), content.subarray(equals + 1, end - 1));
    at = end;
  }
  return records;
}
