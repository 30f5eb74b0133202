import { editDistance } from "@kedge/machinery";
import { directiveGroups, newestKnown, type DirectiveGroup } from "./directives.ts";
import { compareVersions, titleOf, type Server } from "./image-server.ts";

/** Why a server would not know a directive, and would so not start; undefined when it does, or when nobody can tell. */
export function checkKnown(name: string, server: Server | undefined): string | undefined {
  const group = groups.get(name);
  if (group !== undefined) return checkVersion(group, server);
  const close = suggestion(name, server);
  const meant = close === undefined ? "" : `: did you mean ${close}?`;
  // A server that is newer than the table may know more; a word that is almost another is a slip in any version.
  if (!isInTable(server) && close === undefined) return undefined;
  return `is no directive that ${titleOf(server)} knows, so it would not start${meant}`;
}

const groups: ReadonlyMap<string, DirectiveGroup> = new Map(
  directiveGroups.flatMap((group) =>
    group.names
      .split(/\s+/u)
      .filter((name) => name !== "")
      .map((name) => [name, group] as const),
  ),
);

function checkVersion({ since }: DirectiveGroup, server: Server | undefined): string | undefined {
  if (server === undefined) return undefined;
  const { program, version } = server;
  const first = since[program];
  if (first === undefined) {
    return `is a directive of ${program === "redis" ? "Valkey" : "Redis"}: ${titleOf(server)} would not start with it`;
  }
  return version === undefined || compareVersions(version, first) >= 0
    ? undefined
    : `came after ${titleOf(server)}, which would not start with it: use a newer image, or leave it out`;
}

function isInTable(server: Server | undefined): boolean {
  return server?.version !== undefined && compareVersions(server.version, newestKnown[server.program]) <= 0;
}

/** At most two letters away, and fewer of a short word. */
function suggestion(name: string, server: Server | undefined): string | undefined {
  const most = name.length < 8 ? 1 : 2;
  const [best] = [...groups.keys()]
    .filter((known) => Math.abs(known.length - name.length) <= most)
    .filter((known) => checkVersion(groups.get(known) ?? { since: {}, names: "" }, server) === undefined)
    .map((known) => ({ known, away: editDistance(known, name) }))
    .filter(({ away }) => away <= most)
    .toSorted((one, other) => one.away - other.away);
  return best?.known;
}
