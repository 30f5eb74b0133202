/** A port that a program can be told to listen on; `zero`: whether 0, any free one, is allowed. */
export function parsePort(text: string, zero = false): number {
  const port = /^\d{1,5}$/u.test(text) ? Number(text) : Number.NaN;
  const least = zero ? 0 : 1;
  if (port >= least && port <= 65_535) return port;
  throw new Error(`${text} is no port: it must be a number from ${least} to 65535`);
}
