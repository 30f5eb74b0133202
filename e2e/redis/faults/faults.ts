import { existsSync } from "node:fs";
import { inBackground, realClock } from "@kedge/machinery";
import type { TestCluster } from "../../cluster/testing/up-cluster.ts";
import type { Fault } from "../measure-gap.ts";
import { connectRedis } from "../ledger/connection.ts";
import { isList } from "../ledger/replies.ts";
import type { Server, Subject } from "../subjects/subject.ts";
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

/**
 * The process of the primary is stopped, and goes on in the very moment in which another server becomes the primary: what
 * its clients have sent it meanwhile must not be acknowledged.
 */
export function pausedUntilReplaced({ dir }: Pick<TestCluster, "dir">, subject: Subject): Fault {
  let replacedAt: number | undefined;
  let resumed: Promise<void> = Promise.resolve();
  return {
    name: "SIGSTOP until replaced",
    async strike(primary) {
      replacedAt = undefined;
      const others = (await subject.servers()).filter(({ pod }) => pod !== primary.pod);
      const pid = signalServer(dir, primary.pod, "SIGSTOP");
      const resume = async (): Promise<void> => {
        const at = await Promise.any(others.map(untilPrimary));
        if (existsSync(`/proc/${pid}`)) process.kill(pid, "SIGCONT");
        replacedAt = at;
      };
      resumed = resume();
      inBackground(resumed, () => undefined);
    },
    heal: () => resumed,
    replacedAt: () => replacedAt,
  };
}

/** Gives when it was. */
async function untilPrimary(server: Server): Promise<number> {
  for (;;) {
    try {
      using connection = await connectRedis(server.address, { clock: realClock });
      for (;;) {
        const role = await connection.call(["ROLE"]);
        if (isList(role) && role[0] === "master") return realClock.monotonic();
        await realClock.sleep(2);
      }
    } catch {
      // Whoever changes its role cuts its clients.
      await realClock.sleep(2);
    }
  }
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
