import { LeadershipError, type Manager } from "@kedge/runtime";

/**
 * Runs a manager until it is told to stop. When it no longer leads, as after an outage of the store, it has ended, and
 * another one, which remembers nothing, stands by in its place: the API server of this process goes on meanwhile.
 */
export async function runLeading(
  first: Pick<Manager, "run">,
  another: () => Pick<Manager, "run">,
  signal: AbortSignal,
): Promise<void> {
  for (let manager = first; ; manager = another()) {
    try {
      return await manager.run(signal);
    } catch (error) {
      if (!(error instanceof LeadershipError) || signal.aborted) throw error;
    }
  }
}
