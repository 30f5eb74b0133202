/** The version of the program itself in a Debian version: `5:7.0.15-1~deb12u7` is `7.0.15`. */
export function upstreamVersion(debianVersion: string): string {
  return /^(?:\d+:)?(\d+(?:\.\d+)*)/u.exec(debianVersion)?.[1] ?? debianVersion;
}

/**
 * Whether a tag is true of a version: the version itself or its first parts (`7`, `7.0`, `7.0.15`), if need be with the
 * name of the suite that it is built for (`7.0-bookworm`), or after a `v`.
 */
export function tagMatches(tag: string, version: string, suite: string): boolean {
  const wanted = tag.endsWith(`-${suite}`) ? tag.slice(0, -suite.length - 1) : tag;
  const number = wanted.replace(/^v(?=\d)/u, "");
  return number === version || version.startsWith(`${number}.`);
}
