import { getOwn, isJsonObject, type JsonObject } from "@kedge/machinery";
import { readJson, textList, textOf } from "./descriptor.ts";
import { isDigest, type Digest } from "./digest.ts";
import { ImageError } from "./image-error.ts";

/** What an image says of itself. */
export interface ImageConfig {
  readonly architecture: string;
  readonly diffIds: readonly Digest[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly user: string;
  readonly stopSignal: string;
  /** Folders that are to be writable in any case. */
  readonly volumes: readonly string[];
}

/** Reads an image's configuration. */
export function readImageConfig(bytes: Uint8Array, what: string): ImageConfig {
  const json = readJson(bytes, what);
  const rootfs = objectOf(json, "rootfs");
  const config = objectOf(json, "config");
  const listed = textList(getOwn(rootfs, "diff_ids"));
  const diffIds = listed.filter((id) => isDigest(id));
  if (diffIds.length !== listed.length) {
    throw new ImageError("ARCHIVE", `${what}: rootfs.diff_ids has something that is no digest of sha256`);
  }
  const os = textOf(json, "os");
  if (os !== "" && os !== "linux")
    throw new ImageError("PLATFORM", `${what} is for ${os}, this machine is linux`);
  return {
    architecture: textOf(json, "architecture"),
    diffIds,
    entrypoint: textList(getOwn(config, "Entrypoint")),
    command: textList(getOwn(config, "Cmd")),
    environment: environmentOf(textList(getOwn(config, "Env"))),
    workingDirectory: textOf(config, "WorkingDir"),
    user: textOf(config, "User"),
    stopSignal: textOf(config, "StopSignal"),
    volumes: Object.keys(objectOf(config, "Volumes")).filter((path) => path.startsWith("/")),
  };
}

function environmentOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const pairs = lines.map((line): readonly [string, string] => {
    const equals = line.indexOf("=");
    return equals === -1 ? [line, ""] : [line.slice(0, equals), line.slice(equals + 1)];
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ""));
}

function objectOf(json: JsonObject, key: string): JsonObject {
  const value = getOwn(json, key);
  return isJsonObject(value) ? value : {};
}
