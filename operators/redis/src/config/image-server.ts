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
  const { repository = "", tag = "" } =
    /^(?<repository>[^@]*?)(?::(?<tag>[^/:@]*))?(?:@.*)?$/u.exec(image)?.groups ?? {};
  const program = (["valkey", "redis"] as const).find((known) =>
    new RegExp(`${known}[^/]*$`, "u").test(repository),
  );
  if (program === undefined) return undefined;
  const { major, minor } = /^v?(?<major>\d{1,3})(?:\.(?<minor>\d{1,3}))?(?![\d])/u.exec(tag)?.groups ?? {};
  const version: Version | undefined =
    major === undefined ? undefined : [Number(major), minor === undefined ? Infinity : Number(minor)];
  return { program, version };
}
