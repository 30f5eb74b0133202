import type { Clock } from "@kedge/machinery";

/** Asks again and again until the answer is yes; false when the time is over. */
export async function untilTrue(
  {
    clock,
    timeoutMs,
    everyMs = 500,
  }: { readonly clock: Clock; readonly timeoutMs: number; readonly everyMs?: number },
  ask: () => Promise<boolean>,
): Promise<boolean> {
  const end = clock.monotonic() + timeoutMs;
  while (!(await ask())) {
    if (clock.monotonic() >= end) return false;
    await clock.sleep(everyMs);
  }
  return true;
}
