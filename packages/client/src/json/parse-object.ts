import { scanObject, type ObjectScan } from "./scan-object.ts";

/** What to leave out while parsing. */
export interface ParseOptions {
  /** Leave `metadata.managedFields` out, before it becomes objects. Default false. */
  readonly dropManagedFields?: boolean;
}

/** Parses one JSON object. Throws a SyntaxError when it is not well-formed. */
export function parseObject(bytes: Buffer, options: ParseOptions = {}): unknown {
  if (options.dropManagedFields !== true) return JSON.parse(bytes.toString("utf8"));
  const scan: ObjectScan = { end: -1, cutFrom: -1, cutTo: -1 };
  scanObject(bytes, 0, scan);
  return JSON.parse(textWithoutCut(bytes, 0, bytes.length, scan));
}

/** The text from `start` to `end`, without what the scan marked. */
export function textWithoutCut(bytes: Buffer, start: number, end: number, scan: ObjectScan): string {
  if (scan.cutFrom === -1) return bytes.toString("utf8", start, end);
  return bytes.toString("utf8", start, scan.cutFrom) + bytes.toString("utf8", scan.cutTo, end);
}
