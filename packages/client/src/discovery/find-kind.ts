import { editDistance, type GroupVersionKind } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";
import type { ServedApi, ServedKind } from "./types.ts";

/** Which kind is wanted; without a version, the one that the server prefers. */
export type WantedKind = Omit<GroupVersionKind, "version"> & { readonly version?: string | undefined };

/** The kind of this group, version and kind. */
export function findByGvk(api: ServedApi, wanted: WantedKind): ServedKind | undefined {
  return kindsOf(api).find(
    ({ group, version, kind }) =>
      group === wanted.group &&
      kind === wanted.kind &&
      (wanted.version === undefined || version === wanted.version),
  );
}

/**
 * The kind that a person means: plural, singular, short name or kind, in any case, alone or with its group
 * (`deployments.apps`) or version and group (`deployments.v1.apps`). Core comes before other groups.
 */
export function findByName(api: ServedApi, name: string): ServedKind | undefined {
  const [first = "", ...rest] = name.split(".");
  const word = first.toLowerCase();
  const candidates = kindsOf(api).filter(({ group, version }) => {
    const qualifier = rest.join(".");
    return (
      qualifier === "" ||
      qualifier === group ||
      qualifier === `${version}.${group}` ||
      (group === "" && qualifier === version)
    );
  });
  const matches: ((kind: ServedKind) => boolean)[] = [
    (kind) => kind.plural === word || kind.singular === word || kind.kind.toLowerCase() === word,
    (kind) => kind.shortNames?.includes(word) === true,
  ];
  for (const match of matches) {
    const found = candidates.find(match);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The error for a kind that the server does not serve, with what the user may have meant. */
export function noSuchKind(api: ServedApi, wanted: string | WantedKind): ClientError {
  const text =
    typeof wanted === "string"
      ? `"${wanted}"`
      : `${wanted.kind} in ${[wanted.group, wanted.version].filter(Boolean).join("/") || "the core group"}`;
  const word = (typeof wanted === "string" ? (wanted.split(".")[0] ?? "") : wanted.kind).toLowerCase();
  const near = kindsOf(api)
    .filter(
      (kind) =>
        kind.kind.toLowerCase() === word ||
        editDistance(kind.plural, word) <= 2 ||
        editDistance(kind.kind.toLowerCase(), word) <= 2,
    )
    .map((kind) => (kind.group === "" ? kind.plural : `${kind.plural}.${kind.version}.${kind.group}`));
  const stale = api.filter(({ current }) => !current).map(({ group, version }) => `${group}/${version}`);
  const hints = [
    ...(near.length > 0 ? [`did you mean ${[...new Set(near)].slice(0, 3).join(", ")}?`] : []),
    ...(stale.length > 0 ? [`these groups did not answer and may hold it: ${stale.join(", ")}`] : []),
  ];
  return new ClientError("USAGE", `the server serves no kind ${text}`, {
    hint: hints.join("; ") || "is its CustomResourceDefinition installed?",
  });
}

function kindsOf(api: ServedApi): ServedKind[] {
  return api.flatMap(({ kinds }) => kinds);
}
