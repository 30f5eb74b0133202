import { connect } from "@kedge/client";
import { realClock, realRandom } from "@kedge/machinery";
import { createManager } from "@kedge/runtime";
import { schedulerController } from "@kedge/scheduler";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startOracle, type Oracle } from "./oracle.ts";
import { neighbourScenarios } from "./testing/scheduling/neighbours.ts";
import { preemptionScenarios } from "./testing/scheduling/preemption.ts";
import { resourceScenarios } from "./testing/scheduling/resources.ts";
import { ScenarioCluster, type Outcome } from "./testing/scheduling/scenario-cluster.ts";
import { namespaces, type Scenario } from "./testing/scheduling/scenario.ts";
import { volumeScenarios } from "./testing/scheduling/volumes.ts";
import { until } from "./wait.ts";

/** Two real API servers, one with kube-scheduler and one with ours. The same is done on both, and nothing else acts. */
const oracles: Oracle[] = [];
let both: readonly ScenarioCluster[] = [];
let stopOurs: () => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  // Nobody would take the mark of a new node away: that is the node lifecycle controller's work.
  const flags = { "kube-apiserver": { "disable-admission-plugins": "TaintNodesByCondition" } };
  const [real, other] = await Promise.all([startOracle({ scheduler: true, flags }), startOracle({ flags })]);
  oracles.push(real, other);
  both = oracles.map(({ admin }) => new ScenarioCluster(admin));
  await Promise.all(both.map((cluster) => cluster.prepare(namespaces)));
  stopOurs = await startOurs(other);
});

afterEach(async () => {
  await Promise.all(both.map((cluster) => cluster.clear()));
});

afterAll(async () => {
  await stopOurs();
  await Promise.all(oracles.map((oracle) => oracle.stop()));
});

describe.each<[string, readonly Scenario[]]>([
  ["resources", resourceScenarios],
  ["neighbours", neighbourScenarios],
  ["volumes", volumeScenarios],
  ["preemption", preemptionScenarios],
])("%s", (_name, scenarios) => {
  it.each(scenarios.map((scenario): [string, Scenario] => [scenario.name, scenario]))(
    "%s",
    async (_scenario, { play }) => {
      await Promise.all(
        both.map(async (cluster) => {
          await play(cluster);
          await cluster.settled();
        }),
      );
      const [expected, got] = await outcomes();
      expect(got).toEqual(expected);
    },
  );
});

/** What both sides have come to: the same, or what they are after a while. */
async function outcomes(): Promise<readonly (Outcome | undefined)[]> {
  let last: readonly Outcome[] = [];
  const areSame = async (): Promise<boolean> => {
    last = await Promise.all(both.map((cluster) => cluster.outcome()));
    return JSON.stringify(last[0]) === JSON.stringify(last[1]);
  };
  await until("both sides are the same", areSame, 20_000).catch(() => undefined);
  return last;
}

async function startOurs({ adminConfig }: Oracle): Promise<() => Promise<void>> {
  const client = connect(adminConfig);
  const manager = createManager({ client, clock: realClock, random: realRandom, name: "scheduler" });
  manager.add(schedulerController());
  const stopping = new AbortController();
  const running = manager.run(stopping.signal);
  await Promise.race([manager.ready(), running]);
  return async () => {
    stopping.abort();
    await running;
    await client.close();
  };
}
