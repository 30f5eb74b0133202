import { readdir } from "node:fs/promises";
import type { PodContext } from "./context.ts";
import { podsFolder } from "./pod-folder.ts";
import { podUidOf } from "./labels.ts";
import { clearPod, forgetPod } from "./prepare-pod.ts";
import type { FoundPods } from "./pod-workers.ts";

/** Looks at what an earlier agent left on this machine. */
export async function findPods({ runtime, network }: PodContext): Promise<FoundPods> {
  const containers = new Map<string, string[]>();
  for (const info of await runtime.list()) {
    const uid = podUidOf(info);
    if (uid === undefined) continue;
    containers.set(uid, [...(containers.get(uid) ?? []), info.id]);
  }
  return { containers, attached: new Set(await network.attached()) };
}

/**
 * Removes what is left of pods that the API server does not know any more. Their containers get SIGTERM and a moment,
 * as nobody knows their grace period any more.
 */
export async function removeOrphans(
  context: PodContext,
  found: FoundPods,
  isKnown: (uid: string) => boolean,
): Promise<void> {
  const folders = await context.clock.track(readdir(podsFolder(context.folder)).catch(() => []));
  // Networks alone say nothing: they may be those of another node on this machine.
  const uids = new Set([...found.containers.keys(), ...folders]);
  const orphans = [...uids].filter((uid) => !isKnown(uid));
  await Promise.all(orphans.map((uid) => removeOrphan(context, uid, found.containers.get(uid) ?? [])));
}

async function removeOrphan(context: PodContext, uid: string, containers: readonly string[]): Promise<void> {
  context.logger.info("Removing what is left of a pod that is gone", { uid, containers: containers.length });
  try {
    await Promise.all(containers.map((id) => end(context, id)));
    await clearPod(context, uid);
    await forgetPod(context, uid);
  } catch (error) {
    context.logger.error("What is left of a pod could not be removed", { uid, error });
  }
}

const graceMs = 2_000;

async function end({ runtime, clock }: PodContext, id: string): Promise<void> {
  await runtime.signal(id, "SIGTERM");
  const until = clock.monotonic() + graceMs;
  while ((await runtime.inspect(id))?.state === "running" && clock.monotonic() < until) await clock.sleep(50);
  await runtime.remove(id);
}
