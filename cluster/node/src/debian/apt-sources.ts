import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The Debian mirror that this machine's apt uses, without a slash at its end; undefined when its sources name none
 * (another distribution, for example).
 */
export async function aptMirror(folder = "/etc/apt"): Promise<string | undefined> {
  const lists = await readdir(join(folder, "sources.list.d")).catch(() => []);
  const files = [
    "sources.list",
    ...lists.toSorted((a, b) => (a < b ? -1 : 1)).map((name) => join("sources.list.d", name)),
  ];
  for (const file of files) {
    const text = await readFile(join(folder, file), "utf8").catch(() => "");
    const mirror = file.endsWith(".sources") ? mirrorOfDeb822(text) : mirrorOfLines(text);
    if (mirror !== undefined) return mirror;
  }
  return undefined;
}

/** `deb [options] http://deb.debian.org/debian bookworm main`, one source in a line. */
export function mirrorOfLines(text: string): string | undefined {
  for (const line of text.split("\n")) {
    const uri = /^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)/u.exec(line)?.[1];
    if (uri !== undefined && isDebianArchive(uri)) return withoutSlash(uri);
  }
  return undefined;
}

/** Stanzas of fields, with any number of addresses in `URIs`. */
export function mirrorOfDeb822(text: string): string | undefined {
  for (const stanza of text.split(/\n\s*\n/u)) {
    if (/^Enabled:\s*no\s*$/imu.test(stanza) || !/^Types:(?:.*\s)?deb(?:\s|$)/imu.test(stanza)) continue;
    const uris = /^URIs:\s*(.+)$/imu.exec(stanza)?.[1] ?? "";
    const uri = uris.split(/\s+/u).find(isDebianArchive);
    if (uri !== undefined) return withoutSlash(uri);
  }
  return undefined;
}

/** The main archive, not that of security updates nor one of somebody else. */
function isDebianArchive(uri: string): boolean {
  return /^https?:\/\/.+\/debian\/?$/u.test(uri);
}

function withoutSlash(uri: string): string {
  return uri.replace(/\/$/u, "");
}
