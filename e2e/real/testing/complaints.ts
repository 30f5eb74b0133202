/**
 * What a program of Kubernetes has said of its API server that the real one gives it no reason to say: each once, without
 * times. Errors of the work itself (a write that lost a race) are none.
 */
export function complaintsIn(log: string): readonly string[] {
  const lines = log
    .split("\n")
    .filter(
      (line) => /^[EF]\d{4} |^panic|^fatal/u.test(line) && complaint.test(line) && !momentary.test(line),
    );
  return [...new Set(lines.map((line) => line.replace(/^\w\d{4} [\d:.]+ +\d+ /u, "")))];
}

/** Caches that are behind what was just written, and kinds that are gone: so it is with the real one. */
const momentary =
  /is not as new as written version|failed to patch node CIDR|object has been modified|type="\*v1\.PartialObjectMetadata"/u;

const complaint =
  /could not find the requested resource|unable to decode|proto:|unexpected EOF|^panic|^fatal|forbidden: User|Unauthorized|not acceptable|failed to list|Failed to watch|lost lease|failed to renew/u;
