import type { Refusal } from "@kedge/runtime";

/**
 * Whether a server with this redis.conf writes nothing to its volume. Without a line `save` Redis has its own times for
 * that.
 */
export function isVolatile(redisConf: string): boolean {
  const lines = redisConf.split("\n").map((line) => line.trim().toLowerCase());
  const hasFile = lines.some((line) => /^appendonly\s+"?yes"?$/u.test(line));
  return !hasFile && lines.some((line) => /^save\s+(?:""|'')$/u.test(line));
}

/** A primary that comes back without its data makes the replicas throw theirs away. */
export function volatileRefusal(field: string): Refusal {
  return {
    field,
    message:
      'leaves nothing on the volumes (appendonly is no, save is empty), so that all is lost when all servers are restarted: say so with spec.durability: cache, or use replicas: 1, appendonly: "yes" or save: "900 1"',
  };
}
