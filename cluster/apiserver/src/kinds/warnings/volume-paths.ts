import type { PodSpec, Volume, VolumeProjection } from "@kedge/machinery/kinds/core/v1";
import type { Sent } from "../sent.ts";

/** Files of one volume that get in each other's way. */
export function overlappingPaths(volumes: NonNullable<Sent<PodSpec>["volumes"]>): string[] {
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

function filesOf({ configMap, secret, downwardAPI }: Sent<Volume>): readonly [string, readonly File[]] {
  if (configMap !== undefined)
    return [`ConfigMap ${JSON.stringify(configMap.name ?? "")}`, filesIn(configMap.items)];
  if (secret !== undefined)
    return [`Secret ${JSON.stringify(secret.secretName ?? "")}`, filesIn(secret.items)];
  return ["DownwardAPI", filesIn(downwardAPI?.items)];
}

function filesIn(items: readonly Item[] | null | undefined, source = ""): File[] {
  return (items ?? []).map(({ path = "" }) => ({ path: path.replace(/\/+$/u, ""), source }));
}

function projectedWarnings({ projected }: Sent<Volume>, prefix: string): string[] {
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
}: Sent<VolumeProjection>): File[] {
  if (configMap?.items !== undefined)
    return filesIn(configMap.items, `ConfigMap ${JSON.stringify(configMap.name ?? "")}`);
  if (secret?.items !== undefined)
    return filesIn(secret.items, `Secret ${JSON.stringify(secret.name ?? "")}`);
  if (downwardAPI?.items !== undefined) return filesIn(downwardAPI.items, "DownwardAPI");
  return serviceAccountToken === undefined ? [] : filesIn([serviceAccountToken], "ServiceAccountToken");
}

function overlaps(files: readonly File[]): string[] {
  return files.flatMap((file, i) =>
    files
      .slice(0, i)
      .filter((other) => doOverlap(file.path, other.path))
      .map((other) => `${textOf(file)} with ${textOf(other)}`),
  );
}

function doOverlap(a: string, b: string): boolean {
  if (a === "" || b === "") return false;
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
}

function textOf({ path, source }: File): string {
  return source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
