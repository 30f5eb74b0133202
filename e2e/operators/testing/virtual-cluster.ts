import { createApiServer } from "@kedge/apiserver";
import { applicationOperator } from "@kedge/application-operator";
import { Client, inProcessTransport, type Transport } from "@kedge/client";
import { addControllers } from "@kedge/controllers";
import { findCondition, seededRandom, silentLogger, VirtualClock } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { redisOperator } from "@kedge/redis-operator";
import { createManager } from "@kedge/runtime";
import { crdOf, type DefinedKind } from "@kedge/schema";
import { createMemoryStore } from "@kedge/store";
import { onTestFinished } from "vitest";

/** A control plane with both operators, in this process and in virtual time. There is no node: pods stay Pending. */
export interface VirtualCluster {
  readonly clock: VirtualClock;
  /** The user's. */
  readonly client: Client;
  /** Called before each write of the controllers and operators with the number of writes so far. Events do not count. */
  onWrite: ((writes: number, what: string) => Promise<void> | void) | undefined;
}

const admin = { name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };

/** How slow it is. */
export interface VirtualClusterOptions {
  readonly seed?: number;
  /** Milliseconds that a request of the controllers takes at most. Default 10. */
  readonly latency?: number;
  /** Milliseconds by which their watches lag behind at most: caches show what was. Default 100. */
  readonly lag?: number;
}

/** Starts one; it is stopped with the test. */
export async function virtualCluster(options: VirtualClusterOptions = {}): Promise<VirtualCluster> {
  const { seed = 1, latency = 10, lag = 100 } = options;
  const both = [redisOperator({ secretRandom: seededRandom("secrets") }), applicationOperator];
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  const api = createApiServer({ store, clock, random: seededRandom("server") });
  await clock.runUntil(api.start());
  const { handle, upgrade } = api.doorFor(admin);
  const clientFor = (wrap: (transport: Transport) => Transport): Client =>
    new Client(wrap(inProcessTransport(handle, upgrade)), { clock, random: seededRandom("client") });
  const client = clientFor((transport) => transport);
  const stopping = new AbortController();
  let writes = 0;
  const cluster: VirtualCluster = { clock, client, onWrite: undefined };
  await clock.runUntil(
    defineKinds(
      client,
      clock,
      both.flatMap(({ kinds }) => kinds),
    ),
  );
  const chance = seededRandom(seed);
  const watched = (transport: Transport): Transport => ({
    request: async (request) => {
      if (request.method !== "GET" && !request.path.includes("/events")) {
        await cluster.onWrite?.(writes++, `${request.method} ${request.path}`);
      }
      await clock.sleep(chance.int(latency + 1), request.signal);
      const response = await transport.request(request);
      const isWatch = request.path.includes("watch=true");
      return isWatch ? { ...response, body: lagging(response.body, () => chance.int(lag + 1)) } : response;
    },
    upgrade: (request) => transport.upgrade(request),
    close: () => transport.close(),
  });
  const managers = ["controllers", "operators"].map((name) =>
    createManager({ client: clientFor(watched), clock, random: seededRandom(name), name }),
  );
  const [controllers, operators] = managers;
  if (controllers === undefined || operators === undefined) throw new Error("two managers were made");
  addControllers(controllers, { clock, logger: silentLogger, authority: "none" });
  for (const controller of both.flatMap((operator) => operator.controllers())) operators.add(controller);
  const running = managers.map((manager) => manager.run(stopping.signal));
  await clock.runUntil(Promise.all(managers.map((manager) => manager.ready())));
  onTestFinished(async () => {
    stopping.abort();
    await clock.runUntil(Promise.all(running));
    await api.close();
    await store.close();
  });
  return cluster;

  async function* lagging(body: AsyncIterable<Uint8Array>, wait: () => number): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      await clock.sleep(wait());
      yield chunk;
    }
  }
}

async function defineKinds(
  client: Client,
  clock: VirtualClock,
  kinds: readonly DefinedKind[],
): Promise<void> {
  const definitions = client.of(CustomResourceDefinition);
  for (const kind of kinds) {
    const { metadata } = await definitions.create(crdOf(kind));
    for (;;) {
      const { status } = await definitions.get({ name: metadata.name });
      if (findCondition(status?.conditions, "Established")?.status === "True") break;
      await clock.sleep(100);
    }
  }
}
