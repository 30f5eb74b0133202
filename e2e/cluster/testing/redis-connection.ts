import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { realClock } from "@kedge/machinery";

/** Where a Redis is. */
export interface RedisAddress {
  readonly host: string;
  readonly password: string;
}

/** Connects to Redis from this machine, says one command and gives the whole answer as it came. */
export async function askRedis({ host, password }: RedisAddress, command: string): Promise<string> {
  using limit = realClock.deadline(60_000);
  const socket = connect({ host, port: 6379, signal: limit.signal });
  socket.write(`AUTH ${password}\r\n${command}\r\nQUIT\r\n`);
  return await text(socket);
}
