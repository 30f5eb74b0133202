import { repeat, until, type Churn } from "./churn.ts";
import { connectRedis, type RedisLines } from "./redis-lines.ts";

/** What became of the keys. */
export interface KeyCounts {
  readonly acknowledged: number;
  readonly lost: number;
}

const pauseMs = 5;
const atOnce = 500;

/** Writes keys to one RedisInstance all the time, and counts at the end which of the acknowledged ones are there. */
export async function churnKeys(churn: Churn, name: string): Promise<KeyCounts> {
  const acknowledged: string[] = [];
  let redis: RedisLines | undefined;
  await repeat(churn, async (index) => {
    try {
      redis ??= await connectRedis(churn.client, name);
      if ((await redis.say(`SET k${index} ${index}`)) === "+OK") acknowledged.push(`k${index}`);
    } catch {
      // Not acknowledged. The API server, which knows the address, may be away as well.
      redis?.[Symbol.dispose]();
      redis = undefined;
      await churn.clock.sleep(200);
    }
    await churn.clock.sleep(pauseMs);
  });
  redis?.[Symbol.dispose]();

  let there = 0;
  await until(churn, "reading all keys", async () => {
    using again = await connectRedis(churn.client, name);
    there = 0;
    for (let from = 0; from < acknowledged.length; from += atOnce) {
      const answer = await again.say(`EXISTS ${acknowledged.slice(from, from + atOnce).join(" ")}`);
      there += Number(/^:(\d+)$/u.exec(answer)?.[1] ?? Number.NaN);
    }
    return !Number.isNaN(there);
  });
  const lost = acknowledged.length - there;
  if (lost > 0)
    churn.onProblem(`RedisInstance ${name}: ${lost} of ${acknowledged.length} acknowledged keys are lost`);
  return { acknowledged: acknowledged.length, lost };
}
