import { sumOf, tarBlock } from "./tar-header.ts";
import type { TarEntry } from "./types.ts";

const flags = { file: "0", hardlink: "1", symlink: "2", folder: "5", other: "3" } as const;

/** The header of an entry, with an extended one before it where the plain one has no room. */
export function tarHeader(entry: TarEntry): Buffer {
  const extended = paxRecords(entry);
  const plain = headerBlock(entry, flags[entry.type]);
  if (extended.length === 0) return plain;
  const content = Buffer.concat(extended);
  const before = { ...entry, name: "PaxHeader", linkName: "", size: content.length, mode: 0o644 };
  return Buffer.concat([headerBlock(before, "x"), content, tarPadding(content.length), plain]);
}

/** What follows content of so many bytes. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((tarBlock - (size % tarBlock)) % tarBlock);
}

/** With what an archive ends. */
export const tarEnd = Buffer.alloc(2 * tarBlock);

function paxRecords(entry: TarEntry): readonly Buffer[] {
  const records: Buffer[] = [];
  const add = (key: string, value: Buffer): void => {
    const rest = Buffer.concat([Buffer.from(` ${key}=`, "latin1"), value, Buffer.from("\n")]);
    let length = rest.length + String(rest.length).length;
    length = rest.length + String(length).length;
    records.push(Buffer.concat([Buffer.from(String(length)), rest]));
  };
  if (entry.name.length > 100) add("path", Buffer.from(entry.name, "latin1"));
  if (entry.linkName.length > 100) add("linkpath", Buffer.from(entry.linkName, "latin1"));
  if (entry.size > 0o77777777777) add("size", Buffer.from(String(entry.size)));
  if (entry.uid > 0o7777777) add("uid", Buffer.from(String(entry.uid)));
  if (entry.gid > 0o7777777) add("gid", Buffer.from(String(entry.gid)));
  for (const [name, value] of entry.xattrs) add(`SCHILY.xattr.${name}`, value);
  return records;
}

function headerBlock(entry: TarEntry, flag: string): Buffer {
  const block = Buffer.alloc(tarBlock);
  const octal = (value: number, at: number, length: number): void => {
    const text = value.toString(8).padStart(length - 1, "0");
    block.write(text.length < length ? text : "0".repeat(length - 1), at, "latin1");
  };
  block.write(entry.name.slice(0, 100), 0, "latin1");
  octal(entry.mode & 0o7777, 100, 8);
  octal(entry.uid, 108, 8);
  octal(entry.gid, 116, 8);
  octal(entry.size, 124, 12);
  octal(Math.max(0, entry.mtime), 136, 12);
  block.write(flag, 156, "latin1");
  block.write(entry.linkName.slice(0, 100), 157, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  block.write(`${sumOf(block).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}
