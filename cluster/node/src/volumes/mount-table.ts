/** A mount of this machine. */
export interface Mount {
  readonly path: string;
  readonly type: string;
  /** The name that whoever mounted it gave: a device, or any word for what has none. */
  readonly source: string;
}

/** Reads the text of `/proc/self/mountinfo`: the oldest mount first. */
export function parseMounts(mountinfo: string): readonly Mount[] {
  return mountinfo.split("\n").flatMap((line) => {
    const [before, after] = line.split(" - ");
    const path = before?.split(" ")[4];
    const [type, source] = after?.split(" ") ?? [];
    if (path === undefined || type === undefined || source === undefined) return [];
    return [{ path: unescaped(path), type, source: unescaped(source) }];
  });
}

/** The kernel writes spaces, tabs, newlines and backslashes as octal numbers. */
function unescaped(text: string): string {
  // Byte by byte: the rest of the table was read as UTF-8.
  return text.replaceAll(/\\(\d{3})/gu, (_match, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 8)),
  );
}
