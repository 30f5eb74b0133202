/** Whom operators have made primaries, by epoch: from what they have logged, one JSON object a line. */
export function admittedPrimaries(log: string, key: string): ReadonlyMap<number, ReadonlySet<string>> {
  const found = new Map<number, Set<string>>();
  for (const line of log.split("\n").filter((text) => text.includes('"msg":"Admitted"'))) {
    const { key: of, role, pod, epoch } = JSON.parse(line) as Partial<Admitted>;
    if (of !== key || role !== "primary" || pod === undefined || epoch === undefined) continue;
    found.set(epoch, (found.get(epoch) ?? new Set()).add(pod));
  }
  return found;
}

interface Admitted {
  readonly key: string;
  readonly role: string;
  readonly pod: string;
  readonly epoch: number;
}
