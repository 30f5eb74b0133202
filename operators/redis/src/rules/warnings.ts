import { parseQuantity, quantityValue } from "@kedge/machinery";
import { derivedMaxmemory, memoryBytes } from "../config/maxmemory.ts";
import type { InstanceSpec } from "../kind.ts";

/** Something that is done as the spec says, and will probably not do what its author wants. */
export interface SpecWarning {
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
}

/** The condition that tells of it. */
export const configurationWarning = "ConfigurationWarning";

/** What memory, policy and limit will do to each other. */
export function specWarnings({ config = {}, resources }: InstanceSpec): readonly SpecWarning[] {
  const directives = new Map(Object.entries(config).map(([key, value]) => [key.toLowerCase(), value.trim()]));
  const limit = resources?.limits?.["memory"];
  const maxmemory = directives.get("maxmemory");
  const policy = directives.get("maxmemory-policy") ?? "noeviction";
  const bytes = maxmemory === undefined ? undefined : memoryBytes(maxmemory);
  if (limit === undefined) {
    return policy === "noeviction" || (bytes ?? 0n) > 0n
      ? []
      : [
          {
            reason: "NeverEvicts",
            message: `spec.config["maxmemory-policy"] is ${policy}, but nothing says how much memory there is, so nothing is ever evicted: set spec.resources.limits.memory or spec.config["maxmemory"]`,
          },
        ];
  }
  if (bytes === 0n) {
    return [
      {
        reason: "MemoryUnbounded",
        message: `spec.config["maxmemory"] is 0, no bound, but spec.resources.limits.memory is ${limit}: the kernel kills the server when it needs more; leave maxmemory out, and it is derived from the limit`,
      },
    ];
  }
  if (bytes === undefined && derivedMaxmemory(String(limit)) === undefined) {
    return [
      {
        reason: "MemoryLimitSmall",
        message: `spec.resources.limits.memory is ${limit}: too little to leave room for anything beside an empty server; raise it`,
      },
    ];
  }
  return bytes !== undefined && isTight(bytes, String(limit))
    ? [
        {
          reason: "NoHeadRoom",
          message: `spec.config["maxmemory"] is ${maxmemory}, more than nine tenths of spec.resources.limits.memory (${limit}): buffers of replicas and the copy of a snapshot come on top, and the kernel may kill the server; lower it, or leave it out`,
        },
      ]
    : [];
}

function isTight(bytes: bigint, limit: string): boolean {
  return bytes * 10n > quantityValue(parseQuantity(limit)) * 9n;
}
