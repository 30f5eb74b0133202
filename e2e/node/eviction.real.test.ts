import { isNotFound } from "@kedge/machinery";
import { Event, Node, Pod, type PodSpec } from "@kedge/machinery/kinds/core/v1";
import { PriorityClass } from "@kedge/machinery/kinds/scheduling/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Supplies } from "@kedge/node";
import { until } from "../real/wait.ts";
import { needs } from "../testing/needs.ts";
import { openAgentLaboratory, type AgentLaboratory } from "./agent-laboratory.ts";
import { whyNoContainers } from "./needs.ts";

const mebi = 1024 * 1024;
const enough: Supplies = {
  "memory.available": { available: 1000 * mebi, capacity: 2000 * mebi },
  "nodefs.available": { available: 1000 * mebi, capacity: 2000 * mebi },
  "nodefs.inodesFree": { available: 1000, capacity: 2000 },
  "imagefs.available": { available: 1000 * mebi, capacity: 2000 * mebi },
  "pid.available": { available: 1000, capacity: 2000 },
};

// The tests follow each other: each begins and ends with a node that has enough of everything.
describe("a node that runs out of something, on a real control plane", needs(whyNoContainers()), () => {
  let lab: AgentLaboratory;
  let stopAgent: () => Promise<void>;
  let supplies = enough;
  beforeAll(async () => {
    const thresholds = {
      "memory.available": "100Mi",
      "nodefs.available": "10%",
      "nodefs.inodesFree": "5%",
      "imagefs.available": "15%",
      "pid.available": "100",
    };
    const eviction = {
      thresholds,
      supplies: () => Promise.resolve(supplies),
      transitionMs: 2000,
      everyMs: 200,
    };
    lab = await openAgentLaboratory({ eviction });
    stopAgent = await lab.startAgent();
    await lab.oracle.admin.of(PriorityClass).create({ metadata: { name: "important" }, value: 1000 });
  });
  afterAll(async () => {
    await stopAgent();
    await lab[Symbol.asyncDispose]();
  });

  const keyOf = (name: string) => ({ namespace: "default", name });
  const get = (name: string): Promise<Pod> => lab.oracle.admin.of(Pod).get(keyOf(name));
  const create = async (name: string, script: string, more: Partial<PodSpec> = {}): Promise<void> => {
    const container = { name: "main", image: "busybox:1.35", command: ["sh", "-c", script] };
    const spec = { terminationGracePeriodSeconds: 1, containers: [container], ...more };
    await lab.oracle.admin.of(Pod).create({ metadata: keyOf(name), spec });
  };
  const untilReady = (name: string): Promise<void> =>
    until(`${name} is ready`, async () =>
      Boolean(
        (await get(name)).status?.conditions?.some((one) => one.type === "Ready" && one.status === "True"),
      ),
    );
  const remove = async (name: string): Promise<void> => {
    await lab.oracle.admin.of(Pod).delete(keyOf(name), { gracePeriodSeconds: 0 });
    await until(`${name} is gone`, () =>
      get(name).then(
        () => false,
        (error: unknown) => isNotFound(error),
      ),
    );
  };
  const conditionOf = async (type: string): Promise<string | undefined> => {
    const { status } = await lab.oracle.admin.of(Node).get({ name: lab.nodeName });
    const found = status?.conditions?.find((one) => one.type === type);
    return `${found?.status} ${found?.reason}`;
  };
  const taints = async (): Promise<readonly string[]> => {
    const { spec } = await lab.oracle.admin.of(Node).get({ name: lab.nodeName });
    return (spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
  };
  const evictions = async (name: string): Promise<readonly string[]> => {
    const { items } = await lab.oracle.admin.of(Event).list({ namespace: "default" }).all();
    return items
      .filter(({ reason, involvedObject }) => reason === "Evicted" && involvedObject.name === name)
      .map(({ message }) => message ?? "");
  };

  it("evicts who uses more memory than it asked for, says so, and is tainted until there is enough", async () => {
    const hold = "x=$(head -c 8000000 /dev/zero | tr '\\0' x); sleep 1000";
    const resources = { requests: { memory: "64Mi" } };
    await create("modest", "sleep 1000", {
      containers: [{ name: "main", image: "busybox:1.35", command: ["sleep", "1000"], resources }],
    });
    await create("greedy-but-important", hold, { priorityClassName: "important" });
    await create("greedy", hold);
    for (const name of ["modest", "greedy-but-important", "greedy"]) await untilReady(name);
    supplies = { ...enough, "memory.available": { available: 99 * mebi, capacity: 2000 * mebi } };
    await until("greedy has failed", async () => {
      if ((await get("greedy")).status?.phase !== "Failed") return false;
      supplies = enough;
      return true;
    });
    const { status } = await get("greedy");
    expect(status?.reason).toBe("Evicted");
    expect(status?.message).toMatch(
      /^The node was low on resource: memory\. Threshold quantity: 100Mi, available: 99Mi\. Container main was using \d+\w*, request is 0, has larger consumption of memory\. $/u,
    );
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" }),
    );
    await until("the event is there", async () => (await evictions("greedy")).length === 1);
    expect(await evictions("greedy")).toEqual([status?.message]);
    expect((await get("modest")).status?.phase).toBe("Running");
    await until(
      "the condition has gone",
      async () => (await conditionOf("MemoryPressure"))?.startsWith("False") ?? false,
    );
    await until("the taint has gone", async () => !(await taints()).some((one) => one.includes("pressure")));
    for (const name of ["modest", "greedy-but-important", "greedy"]) await remove(name);
  });

  it.each<[string, Supplies, string, string]>([
    [
      "DiskPressure",
      { "nodefs.available": { available: 199 * mebi, capacity: 2000 * mebi } },
      "KubeletHasDiskPressure",
      "node.kubernetes.io/disk-pressure:NoSchedule",
    ],
    [
      "DiskPressure",
      { "nodefs.inodesFree": { available: 99, capacity: 2000 } },
      "KubeletHasDiskPressure",
      "node.kubernetes.io/disk-pressure:NoSchedule",
    ],
    [
      "DiskPressure",
      { "imagefs.available": { available: 299 * mebi, capacity: 2000 * mebi } },
      "KubeletHasDiskPressure",
      "node.kubernetes.io/disk-pressure:NoSchedule",
    ],
    [
      "PIDPressure",
      { "pid.available": { available: 99, capacity: 2000 } },
      "KubeletHasInsufficientPID",
      "node.kubernetes.io/pid-pressure:NoSchedule",
    ],
  ])(
    "%s by %o: the real controller taints it, and it takes no pods",
    async (type, shortage, reason, taint) => {
      supplies = { ...enough, ...shortage };
      await until(`the node says ${type}`, async () => (await conditionOf(type)) === `True ${reason}`);
      await until("it is tainted", async () => (await taints()).includes(taint));
      // Past the scheduler, which would not send it here.
      await create("late", "sleep 1000", { nodeName: lab.nodeName });
      await until("the pod has failed", async () => (await get("late")).status?.phase === "Failed");
      expect((await get("late")).status).toMatchObject({
        reason: "Evicted",
        message: `Pod was rejected: The node had condition: [${type}]. `,
      });
      supplies = enough;
      await until(
        "the condition has gone",
        async () => (await conditionOf(type))?.startsWith("False") ?? false,
      );
      await until("the taint has gone", async () => !(await taints()).includes(taint));
      await remove("late");
      await create("later", "sleep 1000");
      await untilReady("later");
      await remove("later");
    },
  );
});
