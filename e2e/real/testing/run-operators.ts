import { Client, type Transport } from "@kedge/client";
import { applicationOperator } from "@kedge/application-operator";
import { realClock, realRandom } from "@kedge/machinery";
import { redisOperator } from "@kedge/redis-operator";
import { createManager } from "@kedge/runtime";

/** Both operators at work. */
export interface RunningOperators {
  /** What they have sent that was no read, oldest first: `PATCH /api/v1/…`. Events are not counted. */
  readonly writes: readonly string[];
  stop(): Promise<void>;
}

/** Starts both operators as `kedge operator` does, and gives them when their caches are full. Closes the transport. */
export async function runOperators(transport: Transport): Promise<RunningOperators> {
  const writes: string[] = [];
  const client = new Client(recording(transport, writes));
  const manager = createManager({ client, clock: realClock, random: realRandom, name: "operators" });
  for (const controller of [...redisOperator().controllers(), ...applicationOperator.controllers()])
    manager.add(controller);
  const stopping = new AbortController();
  const running = manager.run(stopping.signal);
  await Promise.race([manager.ready(), running]);
  return {
    writes,
    stop: async () => {
      stopping.abort();
      await running;
      await client.close();
    },
  };
}

function recording(transport: Transport, writes: string[]): Transport {
  return {
    request: (request) => {
      const isEvent = request.path.includes("/events");
      if (request.method !== "GET" && !isEvent) writes.push(`${request.method} ${request.path}`);
      return transport.request(request);
    },
    upgrade: (request) => transport.upgrade(request),
    close: () => transport.close(),
  };
}
