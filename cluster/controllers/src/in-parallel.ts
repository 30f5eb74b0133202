/** Makes a call for each item, at most so many at once. The calls must not throw: nobody would hear of it in time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  call: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const work = async (): Promise<void> => {
    for (const item of left) await call(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work));
}
