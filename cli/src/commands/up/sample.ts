import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@kedge/client";
import { isAlreadyExists, type Clock } from "@kedge/machinery";
import { RedisInstance } from "@kedge/redis-operator";
import { parseObject } from "@kedge/schema";
import { parse } from "yaml";

/** The sample that `kedge up` brings. */
export const sampleKey = { namespace: "default", name: "sample" };

const patience = 180_000;

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

/** What waiting takes. */
export interface WaitOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told what it waits for. */
  readonly onWait: (why: string) => void;
}

/** Waits until the sample runs; at once when it was deleted. */
export async function waitForSample(client: Client, { clock, signal, onWait }: WaitOptions): Promise<void> {
  using limit = clock.deadline(patience, signal);
  let last = "no status yet";
  try {
    const selection = {
      namespace: sampleKey.namespace,
      fieldSelector: `metadata.name=${sampleKey.name}`,
      sendInitialEvents: true,
    };
    for await (const event of client.of(RedisInstance).watch({ ...selection, signal: limit.signal })) {
      if (event.type === "DELETED") return;
      if (event.type === "BOOKMARK") continue;
      const { status, observedGeneration, lastConditionMessage } = event.object.status ?? {};
      if (status === "Running" && observedGeneration === event.object.metadata.generation) return;
      last = `${status ?? "Unknown"}: ${lastConditionMessage ?? "no message"}`;
      onWait(`waiting for RedisInstance ${sampleKey.name} (${last})`);
    }
  } catch (error) {
    if (signal.aborted || !limit.signal.aborted) throw error;
    throw new Error(
      `RedisInstance ${sampleKey.name} was not Running after ${patience / 1000} s. Last: ${last}`,
      { cause: error },
    );
  }
}
