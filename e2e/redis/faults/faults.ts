import { existsSync } from "node:fs";
import { realClock } from "@kedge/machinery";
import type { TestCluster } from "../../cluster/testing/up-cluster.ts";
import type { Fault } from "../measure-gap.ts";
import type { Subject } from "../subjects/subject.ts";
import { signalServer } from "./server-process.ts";

/** The process of the primary is killed. */
export function killed({ dir }: Pick<TestCluster, "dir">): Fault {
  return {
    name: "kill -9",
    strike({ pod }) {
      signalServer(dir, pod, "SIGKILL");
      return Promise.resolve();
    },
  };
}

/** The process of the primary is stopped, and goes on a while after another server has taken over: at once by default. */
export function paused(
  { dir }: Pick<TestCluster, "dir">,
  { resumeAfterMs = 0 }: { readonly resumeAfterMs?: number } = {},
): Fault {
  let pid: number | undefined;
  return {
    name: "SIGSTOP",
    strike({ pod }) {
      pid = signalServer(dir, pod, "SIGSTOP");
      return Promise.resolve();
    },
    async heal() {
      await realClock.sleep(resumeAfterMs);
      // It may have been killed meanwhile: fencing is allowed to.
      if (pid !== undefined && existsSync(`/proc/${pid}`)) process.kill(pid, "SIGCONT");
    },
  };
}

/** The node of the primary loses its power, and gets it back when another server has taken over. */
export function nodeLost(cluster: Pick<TestCluster, "cli">): Fault {
  const must = async (...args: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await cluster.cli(...args);
    if (code !== 0) throw new Error(`kedge ${args.join(" ")}: ${stdout}${stderr}`);
  };
  return {
    name: "node killed",
    strike: ({ node }) => must("node", "stop", node, "--now"),
    heal: ({ node }) => must("node", "start", node),
  };
}

/** Somebody asks for another primary. */
export function switchover(subject: Subject): Fault {
  return { name: "switchover", strike: () => subject.switchover() };
}
