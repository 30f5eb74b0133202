import type { FailingWatch } from "../informer/types.ts";

/** A server that is started again, or a connection that breaks, is back within this. */
const patienceMs = 60_000;
/** A server's words, as much of them as a probe's line has room for. */
const longest = 300;

/** Which watches have failed for so long that what their caches show cannot be relied on, and why; undefined: none. */
export function deadWatches(failing: readonly FailingWatch[], now: number): string | undefined {
  const dead = failing.filter(({ since }) => now - since > patienceMs);
  return dead.length === 0 ? undefined : dead.map((watch) => describe(watch, now)).join("; ");
}

function describe({ name, namespace, since, why }: FailingWatch, now: number): string {
  const where = namespace === undefined ? "" : ` in ${namespace}`;
  const words = why.replaceAll(/\s+/gu, " ").slice(0, longest);
  return `${name}${where} for ${Math.floor((now - since) / 1000)} s: ${words}`;
}
