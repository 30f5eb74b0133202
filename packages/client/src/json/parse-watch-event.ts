import { openBrace } from "./json-bytes.ts";
import { textWithoutCut, type ParseOptions } from "./parse-object.ts";
import { scanObject, type ObjectScan } from "./scan-object.ts";
import { topLevelMember } from "./top-level-member.ts";

const objectKey = new TextEncoder().encode("object");

/** Parses one line of a watch. Throws a SyntaxError when it is not well-formed. */
export function parseWatchEvent(line: Buffer, options: ParseOptions = {}): unknown {
  if (options.dropManagedFields !== true) return JSON.parse(line.toString("utf8"));
  const scan: ObjectScan = { end: -1, cutFrom: -1, cutTo: -1 };
  const object = topLevelMember(line, objectKey);
  if (line[object] === openBrace) scanObject(line, object, scan);
  return JSON.parse(textWithoutCut(line, 0, line.length, scan));
}
