import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { defineController } from "@kedge/runtime";
import { expect, it } from "vitest";
import { startTestEnv } from "./start-test-env.ts";
import { isUp, Website, websites } from "./testing/website.ts";
import type { TestOperator } from "./types.ts";

const at = { namespace: "default", name: "blog" };
const blog = { metadata: at, spec: { html: "hello", replicas: 1 } };

/** Deletes what it has no right to delete. */
const meddler: TestOperator = {
  name: "meddler",
  kinds: [Website],
  controllers: () => [
    defineController({
      name: "meddler",
      for: Website,
      async reconcile({ client, signal }) {
        await client.of(ConfigMap).delete({ ...at, name: "theirs" }, { signal });
        return undefined;
      },
    }),
  ],
};

it("fails the test of an operator that asks for what it has no right to, with the way out", async () => {
  const env = await startTestEnv({ operators: [meddler] });
  await env.create(ConfigMap, { metadata: { ...at, name: "theirs" } });
  await env.create(Website, blog);
  const said = /operator meddler: has no right to delete configmaps; add may\(\["delete"\], …\)/u;
  await expect(env.untilQuiet().then(() => env.stop())).rejects.toMatchObject({
    cause: { message: expect.stringMatching(said) as string },
  });
});

it("says which rights have not been used", async () => {
  await using env = await startTestEnv({ operators: [websites] });
  expect(env.unusedRights("website-operator")).toContain("create deployments.apps");
  await env.create(Website, blog);
  await env.eventually(Website, at, isUp);
  const unused = env.unusedRights("website-operator");
  expect(unused).toContain("update websites/finalizers.example.com");
  expect(unused).not.toContain("create deployments.apps");
});
