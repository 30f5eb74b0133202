import { messageOf, realClock } from "@kedge/machinery";

/** Waits until something is so, four minutes at most. Asking may fail meanwhile. Gives what was found. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { everyMs = 20 }: { readonly everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const limit = realClock.monotonic() + 240_000;
  let last = "";
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== null && found !== false) return found;
    } catch (error) {
      last = ` (last: ${messageOf(error)})`;
    }
    if (realClock.monotonic() > limit) throw new Error(`${what}: not within four minutes${last}`);
    await realClock.sleep(everyMs);
  }
}
