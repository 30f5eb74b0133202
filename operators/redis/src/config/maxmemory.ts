import { compareQuantities, parseQuantity, quantityOf, quantityValue } from "@kedge/machinery";

/** Why a value of `maxmemory` cannot be taken in a container with this limit of memory (a quantity); undefined when it can. */
export function checkMaxmemory(value: string, limit: string | undefined): string | undefined {
  const bytes = memoryBytes(value);
  if (bytes === undefined) return "must be an amount of memory as Redis reads it, such as 512mb or 2gb";
  if (limit === undefined || compareQuantities(quantityOf(bytes), parseQuantity(limit)) < 0) return undefined;
  return `is ${value.trim()}, but spec.resources.limits.memory is ${limit}: the kernel would kill the server before it evicts anything; set it below the limit, with room for buffers and forks, or raise the limit`;
}

/**
 * The `maxmemory` of a server in a container with this limit (a quantity), in bytes: three quarters of it. The rest is
 * for what Redis does not count: buffers of replicas, the pages that change while a snapshot is written, fragments.
 * Undefined when that leaves nothing to work with.
 */
export function derivedMaxmemory(limit: string): string | undefined {
  const bytes = (quantityValue(parseQuantity(limit)) * 3n) / 4n;
  return bytes < leastMaxmemory ? undefined : String(bytes);
}

/** An empty server takes about a megabyte; below this the head-room is too small for its buffers. */
const leastMaxmemory = 16n * 1024n ** 2n;

/** Whether servers with this redis.conf may grow beyond a limit by the word of their config. */
export function outgrows(redisConf: string, limit: string | undefined): boolean {
  const { value } = /^maxmemory\s+(?<value>.*)$/imu.exec(redisConf)?.groups ?? {};
  return value !== undefined && checkMaxmemory(value, limit) !== undefined;
}

const units: ReadonlyMap<string, bigint> = new Map([
  ["", 1n],
  ["b", 1n],
  ["k", 1000n],
  ["kb", 1024n],
  ["m", 1000n ** 2n],
  ["mb", 1024n ** 2n],
  ["g", 1000n ** 3n],
  ["gb", 1024n ** 3n],
]);

/** An amount as Redis reads it: `2gb`. Undefined when it is none. */
export function memoryBytes(value: string): bigint | undefined {
  const { amount, unit = "" } =
    /^["']?(?<amount>\d{1,20})(?<unit>[a-z]*)["']?$/iu.exec(value.trim())?.groups ?? {};
  const factor = units.get(unit.toLowerCase());
  return amount === undefined || factor === undefined ? undefined : BigInt(amount) * factor;
}
