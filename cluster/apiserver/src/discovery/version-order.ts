/**
 * Compares versions as Kubernetes ranks them, the preferred one first: v2, v1, v2beta1, v1beta2, v1beta1, v1alpha1,
 * then what does not look like a version, by name.
 */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [rank(one), rank(other)];
  if (a === undefined || b === undefined) {
    if (a !== undefined) return -1;
    if (b !== undefined) return 1;
    return one < other ? -1 : one > other ? 1 : 0;
  }
  return b.stage - a.stage || b.major - a.major || b.minor - a.minor;
}

interface Rank {
  readonly stage: number;
  readonly major: number;
  readonly minor: number;
}

function rank(version: string): Rank | undefined {
  const groups = /^v(?<major>[1-9]\d*)(?:(?<stage>alpha|beta)(?<minor>[1-9]\d*))?$/u.exec(version)?.groups;
  if (groups === undefined) return undefined;
  const stage = groups["stage"];
  return {
    stage: stage === undefined ? 2 : stage === "beta" ? 1 : 0,
    major: Number(groups["major"]),
    minor: Number(groups["minor"] ?? 0),
  };
}
