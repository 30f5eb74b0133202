import type { ModelProcess } from "./model-process.ts";
import { recordIn } from "./start-server.ts";

/** Watches who becomes a primary: at most one in an epoch, and never one that lacks what another one has. */
export class Admissions {
  /** What must not have happened. */
  readonly violations: string[] = [];
  readonly #byEpoch = new Map<number, string>();
  readonly #processes: () => readonly ModelProcess[];
  /** Writes that clients were told are done, and who has them is to lose them never. */
  readonly #acknowledged = new Map<string, string>();
  /** By process, the epochs that it was looked at in. */
  readonly #seen = new WeakMap<ModelProcess, Set<number>>();

  constructor(processes: () => readonly ModelProcess[]) {
    this.#processes = processes;
  }

  /** A client was told that this is written. */
  acknowledge(key: string, value: string): void {
    this.#acknowledged.set(key, value);
  }

  /** Which acknowledged writes a server does not have. */
  missingIn(process: ModelProcess): readonly string[] {
    return [...this.#acknowledged]
      .filter(([key, value]) => process.data.get(key) !== value)
      .map(([key]) => key);
  }

  /** Called at every change of a role or of users. */
  look(process: ModelProcess): void {
    if (!process.isPrimary) {
      this.#seen.delete(process);
      return;
    }
    const { role, roleEpoch: recorded } = recordIn(process.users.keys());
    // One that Redis' own FAILOVER has made a primary is admitted right after that.
    const roleEpoch = role === "primary" ? recorded : 0;
    const seen = this.#seen.get(process) ?? new Set();
    this.#seen.set(process, seen);
    if (seen.has(roleEpoch)) return;
    seen.add(roleEpoch);
    const { key } = process.options;
    const other = this.#byEpoch.get(roleEpoch);
    if (roleEpoch > 0 && other !== undefined && other !== key)
      this.violations.push(`epoch ${roleEpoch} has two primaries: ${other} and ${key}`);
    if (roleEpoch > 0) this.#byEpoch.set(roleEpoch, key);
    const lost = this.missingIn(process).filter((write) =>
      this.#processes().some(
        (one) => one !== process && one.options.key.startsWith(instanceOf(key)) && one.data.has(write),
      ),
    );
    if (lost.length > 0)
      this.violations.push(
        `${key} became primary in epoch ${roleEpoch} without ${lost.length} acknowledged writes that others have: ${lost[0]}`,
      );
  }

  copy(): ReadonlyMap<number, string> {
    return new Map(this.#byEpoch);
  }

  goOn(before: ReadonlyMap<number, string>): void {
    for (const [epoch, key] of before) this.#byEpoch.set(epoch, key);
  }
}

function instanceOf(key: string): string {
  return key.slice(0, key.lastIndexOf("-"));
}
