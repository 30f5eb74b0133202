import { describe, expect, it } from "vitest";
import { upCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { playDeletions } from "./testing/play-deletions.ts";

describe("instances that are deleted at any of 100 moments", needs(whyNoContainers()), () => {
  it("leave what their policies say, and nothing else", async () => {
    await using cluster = await upCluster({ flags: ["--nodes", "3", "--no-sample"] });
    expect(await playDeletions(cluster, { count: 100, seed: 1, lanes: 6 })).toEqual([]);
  });
});
