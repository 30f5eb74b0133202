/** More than this are not under way at once. */
const widest = 32;

/** Whether a run may go on, asked before each batch. */
export type MayGoOn = () => boolean;

/**
 * Makes calls as the original controllers do: one first, then twice as many side by side each time that all have gone
 * well. So what the server refuses is refused once, not a thousand times. False when it ended early: `mayGoOn` said no,
 * or a call did. Throws the first failure of a batch, when the whole batch has ended.
 */
export async function slowStart<T>(
  items: readonly T[],
  mayGoOn: MayGoOn,
  call: (item: T) => Promise<boolean>,
): Promise<boolean> {
  let size = 1;
  for (let begin = 0; begin < items.length;) {
    if (!mayGoOn()) return false;
    const batch = items.slice(begin, begin + size);
    const outcomes = await Promise.allSettled(batch.map(call));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    if (outcomes.some((outcome) => outcome.status === "fulfilled" && !outcome.value)) return false;
    begin += batch.length;
    size = Math.min(size * 2, widest);
  }
  return true;
}
