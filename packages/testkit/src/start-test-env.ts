import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport, type Transport } from "@kedge/client";
import { addControllers } from "@kedge/controllers";
import { seededRandom, silentLogger, VirtualClock } from "@kedge/machinery";
import {
  addVolumeProvisioner,
  createSimulatedAgent,
  createSimulatedVolumeFolders,
  type SimulatedAgent,
} from "@kedge/node";
import { createManager, rulesOf, type Manager } from "@kedge/runtime";
import { schedulerController } from "@kedge/scheduler";
import { createMemoryStore } from "@kedge/store";
import { faultyTransport } from "./faulty-transport.ts";
import { install } from "./install.ts";
import { Lifetimes } from "./lifetimes.ts";
import { RightsCheck } from "./rights-check.ts";
import { RunningEnv } from "./running-env.ts";
import { TestProcess, type Life, type Runnable } from "./test-process.ts";
import { Trace } from "./trace.ts";
import type { TestEnv, TestEnvOptions } from "./types.ts";

const nodeName = "node-1";
const usualLag = 100;
const admin: { readonly name: string; readonly groups: readonly string[] } = {
  name: "kubernetes-admin",
  groups: ["system:masters", "system:authenticated"],
};

/** Starts a cluster in virtual time. `await using env = await startTestEnv({ operators: [website] })` */
export async function startTestEnv(options: TestEnvOptions = {}): Promise<TestEnv> {
  const { operators = [], seed = 1, latency = 10, lag = usualLag, node: hasNode = true } = options;
  const { from, traces = false, logger = silentLogger, nodeStats } = options;
  // With the time of the snapshot: else the uids that are in it would be made up again.
  const seedOf = (name: string): string => `${name} ${seed} ${from?.now ?? 0}`;
  const clock = new VirtualClock({ traces, ...(from !== undefined && { epoch: from.now }) });
  const store = from === undefined ? createMemoryStore({ clock }) : await from.store.fork({ clock });
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const lifetimes = new Lifetimes();
  const rights = new RightsCheck(onFailure);
  await lifetimes.start(store, onFailure);
  const api = createApiServer({
    store,
    clock,
    random: seededRandom(seedOf("server")),
    nodeStats,
    defaultRoles: false,
    onDecided: (asked) => rights.note(asked),
  });
  await clock.runUntil(api.start());
  const trace = new Trace(clock);
  const chance = seededRandom(seed);
  const clientOver = (transport: Transport, name: string, life = 0): Client =>
    new Client(transport, { clock, random: seededRandom(seedOf(`${name} ${life}`)), userAgent: name });
  const direct = (user = admin): Transport => {
    const { handle, upgrade } = api.doorFor(user);
    return inProcessTransport(handle, upgrade);
  };
  const client = clientOver(noted(direct(), trace), "user");
  const kinds = operators.flatMap((operator) => operator.kinds);
  if (from === undefined) await clock.runUntil(install(client, clock, kinds));

  const processOf = (
    name: string,
    make: (client: Client, life: Life) => Runnable,
    user = admin,
  ): TestProcess =>
    new TestProcess({
      name,
      clock,
      make,
      onFailure,
      client: (life) =>
        clientOver(
          faultyTransport(direct(user), {
            process: name,
            clock,
            random: chance,
            latency,
            lag: typeof lag === "number" ? lag : (lag[name] ?? usualLag),
            trace,
            ...life,
          }),
          name,
          life.number,
        ),
    });
  const managerOf = (name: string, own: Client, life: number): Manager =>
    createManager({ client: own, clock, random: seededRandom(seedOf(`${name} ${life}`)), name, logger });
  const folders = createSimulatedVolumeFolders();
  const programs = options.programs?.({
    clock,
    client: clientOver(direct(), "programs"),
    seed: seedOf("programs"),
    from: from?.programs,
    onFailure,
  });
  const controllers = processOf("controllers", (own, life) => {
    const manager = managerOf("controllers", own, life.number);
    addControllers(manager, { clock, logger, authority: "none" });
    manager.add(schedulerController());
    addVolumeProvisioner(manager, { nodeNames: [nodeName], folders });
    return manager;
  });
  let agent: SimulatedAgent | undefined;
  const node = processOf("node", (own, life) => {
    const random = seededRandom(seedOf(`node ${life.number}`));
    const machine = agent?.machine() ?? from?.machine ?? { containers: [], addresses: new Map() };
    agent = createSimulatedAgent({ client: own, clock, random, nodeName, machine, programs });
    return { run: (signal) => agent?.run(signal) ?? Promise.resolve(), ready: () => Promise.resolve() };
  });
  const processes = [
    controllers,
    ...(hasNode ? [node] : []),
    ...operators.map(({ name, controllers: make, rights: extra }) =>
      processOf(
        name,
        (own, life) => {
          const manager = managerOf(name, own, life.number);
          const made = make({ ...life, programs });
          rights.grant(name, rulesOf(made, extra));
          for (const controller of made) manager.add(controller);
          return manager;
        },
        RightsCheck.userOf(name),
      ),
    ),
  ];
  for (const process of processes) process.start();
  const env = new RunningEnv({
    clock,
    client,
    store,
    trace,
    lifetimes,
    rights,
    processes,
    failures,
    agent: () => agent,
    programs,
    async close() {
      await api.close();
      await store.close();
    },
  });
  await env.run(Promise.all(processes.map((process) => process.ready())));
  return env;
}

/** The user's way: without faults, but written down. */
function noted(transport: Transport, trace: Trace): Transport {
  return {
    async request(request) {
      const record = request.method === "GET" ? undefined : trace.write("user", request);
      const response = await transport.request(request);
      if (record !== undefined) record.status = response.status;
      return response;
    },
    upgrade: (request) => transport.upgrade(request),
    close: () => transport.close(),
  };
}
