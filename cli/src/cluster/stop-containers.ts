import type { Clock } from "@kedge/machinery";
import type { ContainerRuntime } from "@kedge/node";

const grace = 10_000;

/** Asks every container to end, and waits for those that do: what they have in memory gets to their volumes. */
export async function stopContainers(runtime: ContainerRuntime, clock: Clock): Promise<void> {
  const running = (await runtime.list()).filter(({ state }) => state === "running");
  const left = new Set(running.map(({ id }) => id));
  if (left.size === 0) return;
  using limit = clock.deadline(grace);
  const done = Promise.withResolvers<void>();
  limit.signal.addEventListener("abort", () => done.resolve());
  const end = runtime.onExit(({ id }) => {
    left.delete(id);
    if (left.size === 0) done.resolve();
  });
  try {
    await Promise.all(running.map(({ id }) => runtime.signal(id, "SIGTERM")));
    await done.promise;
  } finally {
    end();
  }
}
