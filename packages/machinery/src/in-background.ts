/**
 * Lets work go on that nobody waits for. When it fails, `onFailure` hears of it: a promise that fails while nobody
 * listens would end the whole process, whoever made it fail.
 */
export function inBackground(work: Promise<unknown>, onFailure: (error: unknown) => void): void {
  work.catch(onFailure).catch(() => undefined); // Not even a report that cannot be written.
}
