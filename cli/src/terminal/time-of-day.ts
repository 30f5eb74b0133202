/**
 * Gives times as a clock on the wall shows them. The format is made when the first time is asked for, since that reads
 * the data of all languages, and once: each has memory that the garbage collector knows nothing of.
 */
export function createTimeOfDay(): (time: number) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (time) => {
    format ??= new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
    return format.format(time);
  };
}
