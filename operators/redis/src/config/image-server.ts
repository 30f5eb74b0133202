/** A version of a server: major and minor. */
export type Version = readonly [number, number];

/** The server that an image runs, as far as its name tells. */
export interface Server {
  readonly program: "redis" | "valkey";
  /** The newest that the tag may mean: `7` may be 7.4. Undefined when it says nothing. */
  readonly version: Version | undefined;
}

/** Reads a server from an image's name: `redis:7.0`, `valkey/valkey:8.1-alpine`. Undefined when it is neither. */
export function serverOf(image: string): Server | undefined {
  const { repository, tag } = partsOf(image);
  const program = (["valkey", "redis"] as const).find((known) =>
    new RegExp(`${known}[^/]*$`, "u").test(repository),
  );
  if (program === undefined) return undefined;
  const { major, minor } = /^v?(?<major>\d{1,3})(?:\.(?<minor>\d{1,3}))?(?![\d])/u.exec(tag)?.groups ?? {};
  const version: Version | undefined =
    major === undefined ? undefined : [Number(major), minor === undefined ? Infinity : Number(minor)];
  return { program, version };
}

/** The server of an image whose tag may say nothing of its version, which the spec may then say. */
export function expectedServer(image: string, redisVersion: string | undefined): Server | undefined {
  const server = serverOf(image);
  if (server === undefined || server.version !== undefined || redisVersion === undefined) return server;
  const [major = 0, minor = Infinity] = versionNumbers(redisVersion);
  return { ...server, version: [major, minor] };
}

/** The tag of an image; empty when it has none. */
export function tagOf(image: string): string {
  return partsOf(image).tag;
}

/** The numbers that a version begins with: 7.0.15-alpine has 7, 0 and 15. None when it is a word. */
export function versionNumbers(text: string): readonly number[] {
  const [found = ""] = /^v?\d{1,9}(?:\.\d{1,9}){0,2}(?![\d])/u.exec(text) ?? [];
  return found === "" ? [] : found.replace("v", "").split(".").map(Number);
}

function partsOf(image: string): { readonly repository: string; readonly tag: string } {
  const { repository = "", tag = "" } =
    /^(?<repository>[^@]*?)(?::(?<tag>[^/:@]*))?(?:@.*)?$/u.exec(image)?.groups ?? {};
  return { repository, tag };
}

/** Less than 0: the first is older. */
export function compareVersions([major, minor]: Version, [otherMajor, otherMinor]: Version): number {
  if (major !== otherMajor) return major - otherMajor;
  return minor === otherMinor ? 0 : minor - otherMinor;
}

/** A server for people: `Redis 7.0`. */
export function titleOf(server: Server | undefined): string {
  if (server === undefined) return "Redis";
  const title = server.program === "redis" ? "Redis" : "Valkey";
  const [major, minor] = server.version ?? [];
  if (major === undefined || minor === undefined) return title;
  return `${title} ${major}${minor === Infinity ? "" : `.${minor}`}`;
}
