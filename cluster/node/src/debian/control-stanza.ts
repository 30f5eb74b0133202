/** One package as an index of Debian describes it. */
export interface IndexedPackage {
  readonly name: string;
  readonly version: string;
  /** Below the mirror's address. */
  readonly path: string;
  readonly sha256: string;
  /** Bytes of the file. */
  readonly size: number;
}

/** Finds a package in the text of a `Packages` index. */
export function findInPackages(index: string, name: string): IndexedPackage | undefined {
  // A suite in motion may list a package twice; the last one is the newer.
  const title = `Package: ${name}\n`;
  const position = index.startsWith(title) ? 0 : index.lastIndexOf(`\n${title}`) + 1;
  if (position === 0 && !index.startsWith(title)) return undefined;
  const end = index.indexOf("\n\n", position);
  const stanza = index.slice(position, end === -1 ? undefined : end);
  const [version, path, sha256, size] = ["Version", "Filename", "SHA256", "Size"].map((field) =>
    fieldOf(stanza, field),
  );
  if (version === undefined || path === undefined || sha256 === undefined) return undefined;
  return { name, version, path, sha256, size: Number(size ?? 0) };
}

/** The SHA-256 that a `Release` file gives for one of the suite's files. */
export function sumInRelease(release: string, path: string): string | undefined {
  const sums = release.split(/^SHA256:[ ]*$/mu)[1]?.split(/^\S/mu)[0] ?? "";
  for (const line of sums.split("\n")) {
    const [sum, , name] = line.trim().split(/\s+/u);
    if (name === path) return sum;
  }
  return undefined;
}

function fieldOf(stanza: string, field: string): string | undefined {
  return new RegExp(`^${field}: (.+)$`, "mu").exec(stanza)?.[1];
}
