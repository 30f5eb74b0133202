import { directiveText } from "./directive-text.ts";
import { compareVersions, type Server, type Version } from "./image-server.ts";

/** What one version of a server says of a directive. */
export interface Directive {
  /** Whether it can be changed while the server runs. */
  readonly isLive: boolean;
  readonly type: ValueType;
  /** What it is when nobody says anything. */
  readonly standard: string;
}

/** Which values a directive takes. */
export type ValueType =
  | { readonly name: "bool" | "text" | "other" }
  | { readonly name: "enum" | "enums"; readonly words: readonly string[] }
  | { readonly name: "int" | "memory" | "share" | "octal"; readonly from: bigint; readonly to: bigint };

/**
 * What the versions of the table that are nearest to a server say of a directive: one when it is in the table, two when
 * it is between two of them. None when it is newer than the table, or nobody can tell what it is: it may take more.
 */
export function directivesOf(name: string, server: Server | undefined): readonly Directive[] {
  if (server?.version === undefined) return [];
  const { program, version } = server;
  const versions = tableVersions[program];
  const below = versions.findLast((known) => compareVersions(known, version) <= 0) ?? versions[0];
  const above = versions.find((known) => compareVersions(known, version) >= 0);
  if (below === undefined || above === undefined) return [];
  const nearest = new Set([below, above].map((known) => `${program}-${known.join(".")}`));
  return [...nearest].flatMap((key) => table.get(`${name} ${key}`) ?? []);
}

/** The versions that were asked, the oldest first. */
const tableVersions: Readonly<Record<Server["program"], readonly Version[]>> = {
  redis: [
    [7, 0],
    [8, 0],
  ],
  valkey: [
    [8, 1],
    [9, 1],
  ],
};

const allServers = Object.entries(tableVersions).flatMap(([program, versions]) =>
  versions.map((version) => `${program}-${version.join(".")}`),
);

/** By directive and server: `hz redis-7.0`. */
const table: ReadonlyMap<string, Directive> = new Map(
  directiveText
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const [name = "", who = "", change = "", type = "", ...standard] = line.split(" ");
      const directive: Directive = {
        isLive: change === "live",
        type: typeOf(type),
        standard: String(JSON.parse(standard.join(" "))),
      };
      const servers = who === "*" ? allServers : who.split(",");
      return servers.map((server) => [`${name} ${server}`, directive] as const);
    }),
);

function typeOf(text: string): ValueType {
  const colon = text.indexOf(":");
  const name = colon === -1 ? text : text.slice(0, colon);
  const rest = text.slice(colon + 1);
  switch (name) {
    case "enum":
    case "enums":
      return { name, words: rest.split(",") };
    case "int":
    case "memory":
    case "share":
    case "octal": {
      const [from = "0", to = "0"] = rest.split("..");
      return { name, from: BigInt(from), to: BigInt(to) };
    }
    case "bool":
    case "text":
      return { name };
    default:
      return { name: "other" };
  }
}
