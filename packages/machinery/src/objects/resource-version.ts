import type { ResourceVersion, Uid } from "./metadata.ts";

/** Takes a text for a resourceVersion. Throws when it is empty: a server never answers that. */
export function resourceVersion(text: string): ResourceVersion {
  if (isResourceVersion(text)) return text;
  throw new TypeError("resourceVersion: must not be empty");
}

/** Takes a text for a uid. Throws when it is empty: a server never answers that. */
export function uid(text: string): Uid {
  if (isUid(text)) return text;
  throw new TypeError("uid: must not be empty");
}

/**
 * Says which of two versions of the same resource is older: -1 when the first is, 1 when the second is, 0 when they are
 * the same. Undefined when it cannot be known, because a server other than Kubernetes' own gave them. Only versions of
 * objects can be compared, so "0" cannot: in a list or a watch it means "any".
 */
export function compareResourceVersions(a: string, b: string): -1 | 0 | 1 | undefined {
  if (!wellFormed.test(a) || !wellFormed.test(b)) return undefined;
  if (a === b) return 0;
  // As texts, not as numbers: they may have more digits than a number holds.
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return a < b ? -1 : 1;
}

const wellFormed = /^[1-9][0-9]*$/u;

function isResourceVersion(text: string): text is ResourceVersion {
  return text !== "";
}

function isUid(text: string): text is Uid {
  return text !== "";
}
