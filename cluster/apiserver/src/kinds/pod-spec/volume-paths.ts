import type { PodSpec, Volume, VolumeProjection } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";

/** Files of one volume that get in each other's way. */
export function overlappingPaths(volumes: NonNullable<Decoded<PodSpec>["volumes"]>): string[] {
  return volumes.flatMap((volume) => {
    const prefix = `volume ${JSON.stringify(volume.name ?? "")}`;
    const [what, files] = filesOf(volume);
    return [
      ...overlaps(files).map((text) => `${prefix} (${what}): overlapping paths: ${text}`),
      ...projectedWarnings(volume, prefix),
    ];
  });
}

interface File {
  readonly path: string;
  /** Which part of a projected volume it is of. */
  readonly source: string;
}

type Item = { readonly path?: string | undefined };

function filesOf({ configMap, secret, downwardAPI }: Decoded<Volume>): readonly [string, readonly File[]] {
  if (configMap !== undefined)
    return [`ConfigMap ${JSON.stringify(configMap.name ?? "")}`, filesIn(configMap.items)];
  if (secret !== undefined)
    return [`Secret ${JSON.stringify(secret.secretName ?? "")}`, filesIn(secret.items)];
  return ["DownwardAPI", filesIn(downwardAPI?.items)];
}

function filesIn(items: readonly Item[] | null | undefined, source = ""): File[] {
  return (items ?? []).map(({ path = "" }) => ({ path: withoutEnd(path), source }));
}

function projectedWarnings({ projected }: Decoded<Volume>, prefix: string): string[] {
  const sources = projected?.sources ?? [];
  return [
    ...sources
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `${prefix} (Projected) has no sources provided`),
    ...overlaps(sources.flatMap(projectedFiles)).map(
      (text) => `${prefix} (Projected): overlapping paths: ${text}`,
    ),
  ];
}

function projectedFiles({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken,
}: Decoded<VolumeProjection>): File[] {
  if (configMap?.items !== undefined)
    return filesIn(configMap.items, `ConfigMap ${JSON.stringify(configMap.name ?? "")}`);
  if (secret?.items !== undefined)
    return filesIn(secret.items, `Secret ${JSON.stringify(secret.name ?? "")}`);
  if (downwardAPI?.items !== undefined) return filesIn(downwardAPI.items, "DownwardAPI");
  return serviceAccountToken === undefined ? [] : filesIn([serviceAccountToken], "ServiceAccountToken");
}

function withoutEnd(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

/** More of these warnings are never sent. */
const mostOverlaps = 100;

/** A folder or file, by the parts of its path. */
interface Node {
  readonly below: Map<string, Node>;
  /** The indexes of the files with this path. */
  readonly files: number[];
}

function overlaps(files: readonly File[]): string[] {
  const root: Node = { below: new Map(), files: [] };
  const found: string[] = [];
  for (const [index, file] of files.entries()) {
    if (file.path === "") continue;
    for (const other of add(root, file.path, index).toSorted((a, b) => a - b)) {
      const twin = files[other];
      if (twin !== undefined) found.push(`${textOf(file)} with ${textOf(twin)}`);
    }
    if (found.length >= mostOverlaps) break;
  }
  return found;
}

/** Adds a file to a tree, and says which others of it are the same, above or below. */
function add(root: Node, path: string, index: number): number[] {
  const others: number[] = [];
  let node = root;
  for (const part of path.split("/")) {
    let child = node.below.get(part);
    if (child === undefined) {
      child = { below: new Map(), files: [] };
      node.below.set(part, child);
    }
    node = child;
    for (const other of node.files) others.push(other);
    if (others.length >= mostOverlaps) break;
  }
  const waiting = [...node.below.values()];
  for (let next = waiting.pop(); next !== undefined && others.length < mostOverlaps; next = waiting.pop()) {
    for (const other of next.files) others.push(other);
    for (const child of next.below.values()) waiting.push(child);
  }
  node.files.push(index);
  return others;
}

function textOf({ path, source }: File): string {
  return source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
