import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { Client } from "@kedge/client";
import { realClock } from "@kedge/machinery";
import { Pod, Secret } from "@kedge/machinery/kinds/core/v1";

/** A connection to Redis for commands that are answered by one line. */
export interface RedisLines extends Disposable {
  say(command: string): Promise<string>;
}

const patience = 30_000;

/** Connects to the first pod of a RedisInstance, by its address. */
export async function connectRedis(client: Client, name: string): Promise<RedisLines> {
  const namespace = "default";
  const { status } = await client.of(Pod).get({ namespace, name: `${name}-0` });
  const secret = await client.of(Secret).get({ namespace, name: `${name}-auth` });
  const password = Buffer.from(secret.data?.["password"] ?? "", "base64").toString();
  if (status?.podIP === undefined) throw new Error(`pod ${name}-0 has no address yet`);
  const socket = connect({ host: status.podIP, port: 6379 });
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  // What goes wrong is seen by whoever waits for a line.
  socket.on("error", () => socket.destroy());
  const connection: RedisLines = {
    async say(command) {
      using limit = realClock.deadline(patience);
      limit.signal.addEventListener("abort", () => socket.destroy());
      if (socket.connecting) await once(socket, "connect", { signal: limit.signal });
      socket.write(`${command}\r\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error("Redis closed the connection");
      return value;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
  const answer = await connection.say(`AUTH ${password}`);
  if (answer !== "+OK") throw new Error(`Redis does not let us in: ${answer}`);
  return connection;
}
