import { findCondition, parseTime } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { startTestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";

const web = { namespace: "default", name: "web" };
const hours = 3_600_000;

it("a roll-out whose pods never become ready is given up after its ten hours, to the second, and not before", async () => {
  // Without a node no pod is ever placed, and nobody sends heartbeats for ten hours.
  await using env = await startTestEnv({ node: false });
  const labels = { app: "web" };
  const containers = [{ name: "main", image: "main:1" }];
  await env.create(Deployment, {
    metadata: web,
    spec: {
      progressDeadlineSeconds: 10 * 3600,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
  const begun = await env.eventually(Deployment, web, ({ status }) => status?.updatedReplicas === 1);
  const since = parseTime(findCondition(begun.status?.conditions, "Progressing")?.lastUpdateTime ?? "");
  await env.advance("9h");
  const waiting = await env.run(env.client.of(Deployment).get(web));
  expect(findCondition(waiting.status?.conditions, "Progressing")?.status).toBe("True");
  const late = await env.eventually(
    Deployment,
    web,
    ({ status }) => findCondition(status?.conditions, "Progressing")?.reason === "ProgressDeadlineExceeded",
    { limit: 2 * hours },
  );
  const given = findCondition(late.status?.conditions, "Progressing");
  const seconds = (parseTime(given?.lastTransitionTime ?? "") - since) / 1000;
  expect(seconds).toBeGreaterThanOrEqual(10 * 3600);
  expect(seconds).toBeLessThanOrEqual(10 * 3600 + 2);
});
