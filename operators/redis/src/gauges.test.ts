import { expect, it } from "vitest";
import { redisGauges } from "./gauges.ts";
import { instanceOf } from "./testing/builders.ts";

it("counts instances by phase, also those that there are none of, and says how each is", () => {
  const running = {
    ...instanceOf({ replicas: 3 }),
    status: { status: "Running", readyReplicas: "2/3", replication: { primary: "cache-1", epoch: 4 } },
  };
  const held = [running, instanceOf({}, { metadata: { name: "other" } })];
  const informers = { of: (() => ({ list: () => held })) as never };
  const said = Object.fromEntries(
    redisGauges(informers).map(({ name, values }) => [
      name,
      values().map(({ labels, value }) => `${Object.values(labels).join("/")} ${value}`),
    ]),
  );
  expect(said["kedge_redis_instances"]).toEqual(
    expect.arrayContaining(["Running 1", "Unknown 1", "Failed 0"]) as string[],
  );
  expect(said).toMatchObject({
    kedge_redis_pods: ["shop/cache 3", "shop/other 1"],
    kedge_redis_ready_pods: ["shop/cache 2", "shop/other 0"],
    kedge_redis_primary_epoch: ["shop/cache 4"],
  });
});
