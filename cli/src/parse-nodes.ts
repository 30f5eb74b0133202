/** Of simulated ones, which share a process. */
const most = 1000;

/** Reads a number of nodes. */
export function parseNodes(text: string): number {
  const count = /^\d{1,4}$/u.test(text) ? Number(text) : Number.NaN;
  if (count >= 1 && count <= most) return count;
  throw new Error(`${text} is no number of nodes: it must be from 1 to ${most}`);
}
