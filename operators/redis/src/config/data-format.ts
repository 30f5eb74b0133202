import type { Server, Version } from "./image-server.ts";
import { compareVersions, titleOf } from "./image-server.ts";

/**
 * Why a server could not read the data that another one has written; undefined when it can, or when nobody can tell.
 * Snapshots, and append-only files with them, have a number in their first bytes. Each server writes one of them.
 */
export function whyUnreadable(writer: Server | undefined, reader: Server | undefined): string | undefined {
  const written = formatOf(writer, "oldest");
  const own = formatOf(reader, "newest");
  if (written === undefined || own === undefined || reads(own, written)) return undefined;
  return `${titleOf(reader)} cannot read what ${titleOf(writer)} writes (format ${written.format}; it knows ${knownText(own)})`;
}

/** What a server writes. */
interface DataFormat {
  readonly program: Server["program"];
  readonly format: number;
}

/** The first version of each server that writes a format, the newest first. */
const formats: Readonly<Record<Server["program"], readonly (readonly [since: Version, format: number])[]>> = {
  redis: [
    [[8, 6], 13],
    [[7, 4], 12],
    [[7, 2], 11],
    [[7, 0], 10],
    [[5, 0], 9],
  ],
  valkey: [
    [[9, 0], 80],
    [[7, 2], 11],
  ],
};

/** The last format that both servers have in common. What came later is each one's own. */
const lastCommon = 11;

/** The formats of Valkey begin here; Redis has never known one of them. */
const firstOfValkey = 80;

function reads(own: DataFormat, { format }: DataFormat): boolean {
  if (own.program === "redis") return format <= own.format;
  return format <= lastCommon || (format >= firstOfValkey && format <= own.format);
}

function knownText({ program, format }: DataFormat): string {
  return program === "valkey" && format >= firstOfValkey
    ? `those up to ${lastCommon}, and ${format}`
    : `those up to ${format}`;
}

/** A tag that leaves the minor version open may mean any: the doubt is in favour of whoever asks. */
function formatOf(server: Server | undefined, open: "oldest" | "newest"): DataFormat | undefined {
  if (server?.version === undefined) return undefined;
  const { program } = server;
  const [major, minor] = server.version;
  const version: Version = minor === Infinity && open === "oldest" ? [major, 0] : [major, minor];
  const found = formats[program].find(([since]) => compareVersions(version, since) >= 0);
  return found === undefined ? undefined : { program, format: found[1] };
}
