import { join } from "node:path";
import type { Client } from "@kedge/client";
import { isNotFound, realClock } from "@kedge/machinery";
import { Pod, type ContainerState } from "@kedge/machinery/kinds/core/v1";
import { containersIn } from "../cluster/testing/machine.ts";
import type { TestCluster } from "../cluster/testing/up-cluster.ts";
import type { Chooser } from "../fuzz/chooser.ts";
import { until } from "../soak/churn.ts";
import { namespace } from "./stage.ts";

/** What becomes of a pod, and when. */
export interface Fate {
  /** How far it has come by then, and how many milliseconds later. What never comes so far is not waited for long. */
  readonly moment: keyof typeof moments;
  readonly after: number;
  /** What happens to it before it is deleted. */
  readonly by: "nothing" | "kill" | "exec";
  /** Deleted with a grace period of zero. */
  readonly force: boolean;
}

const longestMs = 15_000;

type Status = Pod["status"];

/** How far a pod has come, by its status. */
const moments = {
  created: () => true,
  attached: (status: Status) => status?.podIP !== undefined,
  begun: (status: Status) => statesOf(status).some(hasRun),
  settled: (status: Status) =>
    ["Succeeded", "Failed"].includes(status?.phase ?? "") ||
    (status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false) ||
    statesOf(status).some(({ waiting }) => !creating.includes(waiting?.reason ?? creating[0] ?? "")),
};

const creating = ["ContainerCreating", "PodInitializing"];

function statesOf(status: Status): readonly ContainerState[] {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.flatMap(({ state }) => (state === undefined ? [] : [state]));
}

function hasRun({ running, terminated }: ContainerState): boolean {
  return running !== undefined || terminated !== undefined;
}

/** One of them. */
export function chooseFate(choose: Chooser): Fate {
  return {
    moment: choose.one<Fate["moment"]>([
      "created",
      "attached",
      "begun",
      "begun",
      "settled",
      "settled",
      "settled",
    ]),
    after: choose.random.int(choose.one([30, 300, 2000])),
    by: choose.one<Fate["by"]>(["nothing", "nothing", "kill", "exec"]),
    force: choose.maybe(25),
  };
}

/** Lets time pass, then does to the pod what is to happen to it before it is deleted. */
export async function suffer({ client, dir }: TestCluster, name: string, fate: Fate): Promise<void> {
  const pods = client.of(Pod);
  const key = { namespace, name };
  using limit = realClock.deadline(longestMs);
  while (!limit.signal.aborted && !moments[fate.moment]((await pods.get(key)).status))
    await realClock.sleep(20);
  await realClock.sleep(fate.after);
  if (fate.by === "kill") {
    const { status } = await pods.get(key);
    const processes = containersIn(join(dir, "nodes/kedge"));
    for (const { containerID = "" } of status?.containerStatuses ?? [])
      kill(processes.get(containerID.replace(/^\w+:\/\//u, "")));
    await realClock.sleep(300);
  }
  if (fate.by === "exec") {
    // It ends with the pod, or cannot be begun.
    const command = ["sh", "-c", "trap '' TERM; sleep 1000"];
    pods.exec.run(key, { command, timeout: 60_000 }).catch(() => undefined);
  }
}

/** Deletes a pod and waits until its object is gone. */
export async function deletePod(client: Client, name: string, force: boolean): Promise<void> {
  const pods = client.of(Pod);
  const key = { namespace, name };
  await pods.delete(key, force ? { gracePeriodSeconds: 0 } : {});
  await until({ clock: realClock }, `pod ${name} gone`, async () => {
    try {
      await pods.get(key);
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  });
}

function kill(pid: number | undefined): void {
  if (pid === undefined || Number.isNaN(pid) || pid <= 1) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
