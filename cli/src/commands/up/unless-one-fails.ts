/** Rejects as soon as one of the others does, and ends the work then. Those need not be there yet. */
export async function unlessOneFails(
  work: (signal: AbortSignal) => Promise<void>,
  others: readonly Promise<void>[],
): Promise<void> {
  const failed = Promise.withResolvers<never>();
  for (const other of others) other.catch(failed.reject);
  const ended = new AbortController();
  try {
    await Promise.race([work(ended.signal), failed.promise]);
  } finally {
    // What still waited would keep this process alive.
    ended.abort();
  }
}
