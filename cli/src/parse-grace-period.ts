/** Nodes say that they are there every ten seconds. */
const least = 12;
const most = 3600;

/** Which grace periods there are, in words. */
export const gracePeriodRange = `from ${least}s to ${most}s`;

/** Reads how long a node may be silent: seconds, with or without the unit. */
export function parseGracePeriod(text: string): number {
  const seconds = /^\d{1,4}s?$/u.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (seconds >= least && seconds <= most) return seconds;
  throw new Error(`${text} is no grace period: it must be ${gracePeriodRange}`);
}
