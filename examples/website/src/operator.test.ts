import { isConditionTrue } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { startTestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { Website } from "./kind.ts";
import { websiteOperator } from "./operator.ts";

const key = { namespace: "default", name: "blog" };
const isReady = ({ status }: Website): boolean => isConditionTrue(status?.conditions, "Ready");

it("shows the page on as many servers as are wanted, and another page when it is changed", async () => {
  await using env = await startTestEnv({ operators: [websiteOperator] });
  await env.create(Website, { metadata: key, spec: { html: "hello", replicas: 2 } });
  await env.eventually(Website, key, isReady);
  const websites = env.client.of(Website);
  await env.run(websites.patch(key, { merge: { spec: { html: "hello again", replicas: 1 } } }));
  await env.eventually(Website, key, ({ status }) => status?.ready === "1/1");
  const { data } = await env.run(env.client.of(ConfigMap).get(key));
  expect(data).toEqual({ "index.html": "hello again" });
});

it("says which name is taken, and goes on when it is free", async () => {
  await using env = await startTestEnv({ operators: [websiteOperator] });
  await env.create(ConfigMap, { metadata: key, data: { theirs: "x" } });
  await env.create(Website, { metadata: key, spec: { html: "hello", replicas: 1 } });
  const { status } = await env.eventually(Website, key, (site) => site.status !== undefined);
  expect(status?.conditions?.[0]).toMatchObject({ type: "Ready", status: "False", reason: "NameTaken" });
  await env.run(env.client.of(ConfigMap).delete(key));
  await env.eventually(Website, key, isReady);
});

it("comes to the same end when it is killed at its first write, and leaves nothing", async () => {
  const endOf = async (isKilled: boolean) => {
    await using env = await startTestEnv({ operators: [websiteOperator] });
    if (isKilled) env.process("website").crashAt({ write: 0, when: "at" });
    await env.create(Website, { metadata: key, spec: { html: "hello", replicas: 1 } });
    await env.eventually(Website, key, isReady);
    await env.untilQuiet();
    const state = await env.state();
    await env.run(env.client.of(Website).delete(key));
    await env.eventuallyGone(Deployment, key);
    await env.eventuallyGone(ConfigMap, key);
    return state.objects;
  };
  expect(await endOf(true)).toEqual(await endOf(false));
});
