import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { startTestEnv } from "./start-test-env.ts";
import { Website, websites } from "./testing/website.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const blog = { metadata: { namespace: "default", name: "blog" }, spec: { html: "hello", replicas: 2 } };

/** In a function of its own: what waits for an environment holds it. */
async function closedEnv(): Promise<WeakRef<object>> {
  await using env = await startTestEnv({ operators: [websites] });
  await env.create(Website, blog);
  const operator = env.process("website-operator");
  operator.crashAt({ write: operator.writes.length, when: "at" });
  await env.untilQuiet();
  return new WeakRef(env);
}

it("nothing holds an environment that is closed: a crash matrix makes thousands", async () => {
  const closed = await closedEnv();
  const isGone = (): boolean => {
    collectGarbage();
    return closed.deref() === undefined;
  };
  await expect.poll(isGone).toBe(true);
});
