import type { Refusal } from "@kedge/runtime";
import type { InstanceSpec } from "../kind.ts";

/** How much of what was acknowledged may be lost: `docs/guide/redis-durability.md`. */
export type Durability = InstanceSpec["durability"];

/** Seconds that a replica may be behind, by its own word, to count as one that has the writes. */
export const mostLagSeconds = { normal: 5, strict: 2 } as const;

/** How many replicas must have a write before it is kept whoever is lost, of so many servers: with the primary, most of them. */
export function confirmingReplicas(servers: number): number {
  return Math.floor(servers / 2);
}

/**
 * How many replicas must be there to choose a primary among: so many that one of them has any write which was confirmed
 * by as many as `confirmingReplicas` says.
 */
export function electingReplicas(servers: number): number {
  return servers - confirmingReplicas(servers);
}

/** The directives of a level, where they differ from the usual ones. */
export function durabilityDefaults({
  durability,
  replicas,
}: {
  readonly durability: Durability;
  readonly replicas: number;
}): readonly (readonly [string, string])[] {
  if (durability === "cache")
    return [
      ["appendonly", "no"],
      ["save", ""],
      // What a replica is sent would come back at the next start, however old.
      ["rdb-del-sync-files", "yes"],
    ];
  if (durability === "normal") return [];
  const needed = confirmingReplicas(replicas);
  return [
    ["appendfsync", "always"],
    ...(needed === 0
      ? []
      : ([
          ["min-replicas-to-write", String(needed)],
          ["min-replicas-max-lag", String(mostLagSeconds.strict)],
        ] as const)),
  ];
}

/** Whether the spec itself says how many replicas must be there for a write. */
export function saysMinReplicas(config: InstanceSpec["config"]): boolean {
  return Object.keys(config ?? {}).some((key) => minReplicas.test(key));
}

const minReplicas = /^min-(?:replicas|slaves)-(?:to-write|max-lag)$/iu;

/** What would break the promise of `strict`. */
export function durabilityRefusals({
  durability,
  config = {},
}: Pick<InstanceSpec, "durability" | "config">): readonly Refusal[] {
  if (durability !== "strict") return [];
  return Object.entries(config).flatMap(([key, value]) => {
    const needed = strictValues.get(key.toLowerCase());
    const isWrong = needed !== undefined && value.trim().replaceAll(/["']/gu, "").toLowerCase() !== needed;
    const why = minReplicas.test(key)
      ? "is set by the operator with spec.durability: strict"
      : isWrong
        ? `must be ${needed} with spec.durability: strict, which promises that confirmed writes are on disks`
        : undefined;
    if (why === undefined) return [];
    const field = `spec.config[${JSON.stringify(key)}]`;
    return [{ field, message: `${why}: leave it out, or choose spec.durability: normal` }];
  });
}

const strictValues: ReadonlyMap<string, string> = new Map([
  ["appendonly", "yes"],
  ["appendfsync", "always"],
]);
