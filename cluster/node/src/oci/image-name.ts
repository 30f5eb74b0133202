import { isDigest, type Digest } from "./digest.ts";
import { ImageError } from "./image-error.ts";

/** An image's name in its parts. */
export interface ImageName {
  /** Without Docker Hub's own prefixes: `redis`, `valkey/valkey`, `kedge.dev/echo`. */
  readonly repository: string;
  readonly tag: string;
  /** Of the manifest, where the name says it: then the tag means nothing. */
  readonly digest?: Digest;
}

/** Reads `redis`, `redis:7.0`, `docker.io/library/redis:7.0`, `registry:5000/team/app:1`, `app@sha256:…`. */
export function parseImageName(name: string): ImageName {
  const [tagged = "", digest, ...rest] = name.split("@");
  if (rest.length > 0 || (digest !== undefined && !isDigest(digest))) {
    throw new ImageError(
      "INVALID_NAME",
      `image "${name}" is not a valid name: what follows the @ must be sha256: and 64 hexadecimal digits`,
    );
  }
  const colon = tagged.lastIndexOf(":");
  const hasTag = colon > tagged.lastIndexOf("/");
  const repository = hasTag ? tagged.slice(0, colon) : tagged;
  const tag = hasTag ? tagged.slice(colon + 1) : "latest";
  if (!isRepository(repository) || !/^\w[\w.-]{0,127}$/u.test(tag)) {
    throw new ImageError("INVALID_NAME", `image "${name}" is not a valid name: it must be repository:tag`);
  }
  const short = repository.replace(/^(?:index\.)?docker\.io\//u, "").replace(/^library\//u, "");
  return { repository: short, tag, ...(digest !== undefined && { digest }) };
}

/** Parts of small letters and digits, none of them empty or a way out of the others. */
function isRepository(text: string): boolean {
  return (
    text.length <= 255 &&
    /^[a-z0-9][a-z0-9._:-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/u.test(text) &&
    !text.endsWith(":")
  );
}

/** The name in one spelling. */
export function imageNameText({ repository, tag, digest }: ImageName): string {
  return digest === undefined ? `${repository}:${tag}` : `${repository}@${digest}`;
}

/** The repository with the registry that it is in: `docker.io/library/redis`. */
export function fullRepository(repository: string): string {
  const { host, path } = registryOf(repository);
  return `${host}/${path}`;
}

/** Which registry has a repository, and under which path. */
export function registryOf(repository: string): { readonly host: string; readonly path: string } {
  const [first = "", ...rest] = repository.split("/");
  if (rest.length > 0 && (/[.:]/u.test(first) || first === "localhost")) {
    return { host: first, path: rest.join("/") };
  }
  return { host: "docker.io", path: rest.length === 0 ? `library/${repository}` : repository };
}

/** Whether `parseImageName` takes it. */
export function isImageName(name: string): boolean {
  try {
    parseImageName(name);
    return true;
  } catch {
    return false;
  }
}
