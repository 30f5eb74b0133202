import { ImageError } from "./image-error.ts";

/** An image's name in its parts. */
export interface ImageName {
  /** Without Docker Hub's own prefixes: `redis`, `valkey/valkey`, `kedge.dev/echo`. */
  readonly repository: string;
  readonly tag: string;
}

/** Reads `redis`, `redis:7.0`, `docker.io/library/redis:7.0`, `registry:5000/team/app:1`. */
export function parseImageName(name: string): ImageName {
  if (name.includes("@")) {
    throw new ImageError("INVALID_NAME", `image "${name}" is named by a digest, which needs a registry`);
  }
  const colon = name.lastIndexOf(":");
  const tagged = colon > name.lastIndexOf("/");
  const repository = tagged ? name.slice(0, colon) : name;
  const tag = tagged ? name.slice(colon + 1) : "latest";
  if (!/^[a-z0-9][a-z0-9._:/-]*$/u.test(repository) || !/^\w[\w.-]{0,127}$/u.test(tag)) {
    throw new ImageError("INVALID_NAME", `image "${name}" is not a valid name: it must be repository:tag`);
  }
  return { repository: repository.replace(/^(?:index\.)?docker\.io\//u, "").replace(/^library\//u, ""), tag };
}

/** The name in one spelling. */
export function imageNameText({ repository, tag }: ImageName): string {
  return `${repository}:${tag}`;
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
