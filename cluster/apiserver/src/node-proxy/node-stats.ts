import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isJsonObject, type JsonObject } from "@kedge/machinery";
import type { NodeAddress } from "./node-address.ts";
import { tlsOptions } from "./node-request.ts";
import type { NodeProxyOptions } from "./types.ts";

/** What a node says of what it and its pods use: its `/stats/summary`. Undefined when it says nothing. */
export type NodeStats = (address: NodeAddress) => Promise<Readonly<JsonObject> | undefined>;

/** How long a node may take to answer. */
const patience = 5_000;

/** The longest answer that is read: some kilobytes for each pod. */
const longestAnswer = 16 * 1024 * 1024;

/** The way to the statistics of nodes. Who asks for those of a node while they are under way gets the same. */
export function nodeStats(options: NodeProxyOptions): NodeStats {
  const underWay = new Map<string, ReturnType<NodeStats>>();
  return async (address) => {
    const key = `${address.host} ${address.port}`;
    const asked =
      underWay.get(key) ??
      ask(address, options)
        // A node that does not answer has no statistics, and the others have.
        .catch(() => undefined)
        .finally(() => underWay.delete(key));
    underWay.set(key, asked);
    return await asked;
  };
}

async function ask(
  address: NodeAddress,
  options: NodeProxyOptions,
): Promise<Readonly<JsonObject> | undefined> {
  using deadline = options.clock.deadline(patience);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = httpsRequest({
    ...address,
    ...tlsOptions(options, false),
    path: "/stats/summary",
    agent: false,
    signal: deadline.signal,
  });
  sent.once("response", resolve);
  sent.on("error", reject);
  sent.end();
  return await options.clock.track(read(promise));
}

async function read(answer: Promise<IncomingMessage>): Promise<Readonly<JsonObject> | undefined> {
  const response = await answer;
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response) {
    if (!(piece instanceof Buffer)) continue;
    pieces.push(piece);
    length += piece.length;
    if (length > longestAnswer) throw new Error("the statistics are too long");
  }
  if (response.statusCode !== 200) return undefined;
  const value: unknown = JSON.parse(Buffer.concat(pieces).toString("utf8"));
  return isJsonObject(value) ? value : undefined;
}
