import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@kedge/client";
import { ifFound, isAlreadyExists, isNotFound, type Clock } from "@kedge/machinery";
import { Pod, Secret } from "@kedge/machinery/kinds/core/v1";
import { clientCommand, RedisInstance } from "@kedge/redis-operator";
import { parseObject } from "@kedge/schema";
import { parse } from "yaml";
import { answersPing } from "./answers-ping.ts";
import { sampleKey } from "./sample-key.ts";

const patience = 180_000;
const pause = 20;
const noStatus = "no status yet";

/** Creates the sample, unless it is there. */
export async function createSample(client: Client, folder: string): Promise<void> {
  const text = await readFile(join(folder, "redis_v1_redisinstance.yaml"), "utf8");
  const manifest: unknown = parse(text);
  try {
    await client.of(RedisInstance).create(parseObject(RedisInstance, manifest));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Whether the sample is there: who deleted it meant it. */
export async function hasSample(client: Client): Promise<boolean> {
  try {
    const { metadata } = await client.of(RedisInstance).get(sampleKey);
    return metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** What waiting takes. */
export interface WaitOptions {
  readonly clock: Clock;
  /** Told what it waits for. */
  readonly onWait: (why: string) => void;
}

/**
 * Waits until the sample says that it runs, and its Redis answers. The former alone may be what it said before the
 * cluster was stopped.
 */
export async function waitForSample(client: Client, { clock, onWait }: WaitOptions): Promise<void> {
  using limit = clock.deadline(patience);
  const { signal } = limit;
  let last = noStatus;
  const selector = {
    namespace: sampleKey.namespace,
    fieldSelector: `metadata.name=${sampleKey.name}`,
    sendInitialEvents: true,
    signal,
  };
  try {
    for await (const event of client.of(RedisInstance).watch(selector)) {
      // It was deleted in the meantime.
      if (event.type === "DELETED" || (event.type === "BOOKMARK" && last === noStatus)) return;
      if (event.type === "BOOKMARK") continue;
      const { metadata, status } = event.object;
      last = `${status?.status ?? "Unknown"}: ${status?.lastConditionMessage ?? "no message"}`;
      onWait(`waiting for RedisInstance ${sampleKey.name} (${last})`);
      const current = status?.observedGeneration === metadata.generation;
      if (!current || status?.status !== "Running") continue;
      await untilAnswered(client, { clock, signal });
      return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Error(
      `RedisInstance ${sampleKey.name} was not Running after ${patience / 1000} s. Last: ${last}`,
      { cause: error },
    );
  }
}

/** What it said of itself may be from before the cluster was stopped: its Redis is asked until it answers. */
async function untilAnswered(
  client: Client,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  while (!(await isAnswered(client, signal)) && (await hasSample(client))) await clock.sleep(pause, signal);
}

/** At the pod's own address; where that is out of reach, by a command in the container, which takes ten times as long. */
async function isAnswered(client: Client, signal: AbortSignal): Promise<boolean> {
  const { namespace, name } = sampleKey;
  const pod = await ifFound(client.of(Pod).get({ namespace, name: `${name}-0` }, { signal }));
  const secret = await ifFound(client.of(Secret).get({ namespace, name: `${name}-auth` }, { signal }));
  const host = pod?.status?.podIP;
  const password = Buffer.from(secret?.data?.["password"] ?? "", "base64");
  if (host === undefined) return false;
  return (await answersPing({ host, port: 6379, password, signal })) || (await answersInside(client, signal));
}

async function answersInside(client: Client, signal: AbortSignal): Promise<boolean> {
  const key = { namespace: sampleKey.namespace, name: `${sampleKey.name}-0` };
  const options = { command: clientCommand("ping"), container: "redis", signal, timeout: 5000 };
  try {
    const { stdout } = await client.of(Pod).exec.run(key, options);
    return stdout.trim() === "PONG";
  } catch {
    return false;
  }
}
