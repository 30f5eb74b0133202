import { messageOf } from "@kedge/machinery";
import { pidsIn, returnsOf, type Role } from "./part-processes.ts";
import { until, type Churn } from "./churn.ts";

/** How long the parts took to come back, in milliseconds. */
export type Returns = ReadonlyMap<Role, readonly number[]>;

/** What killing takes. */
export interface KillOptions {
  readonly dir: string;
  readonly everyMs: number;
}

/** Kills one part after the other by signal 9 until the end, and waits each time until it is back. */
export async function killParts(churn: Churn, { dir, everyMs }: KillOptions): Promise<Returns> {
  const { clock, signal, onProblem } = churn;
  const returns = new Map<Role, number[]>([
    ["server", []],
    ["node/kedge", []],
    ["operator", []],
  ]);
  let next = clock.monotonic();
  while (!signal.aborted) {
    for (const [role, times] of returns) {
      next = Math.max(next + everyMs, clock.monotonic());
      await clock.sleep(next - clock.monotonic(), signal).catch(() => undefined);
      if (signal.aborted) break;
      const [began, before] = [clock.monotonic(), returnsOf(dir, role)];
      try {
        const pid = pidsIn(dir).get(role);
        if (pid === undefined) throw new Error(`${role} has no process`);
        process.kill(pid, "SIGKILL");
        await until(churn, `${role} back after it was killed`, async () => returnsOf(dir, role) > before);
        times.push(clock.monotonic() - began);
      } catch (error) {
        onProblem(messageOf(error));
      }
    }
  }
  return returns;
}
