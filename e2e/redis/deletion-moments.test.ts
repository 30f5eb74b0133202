import { describe, expect, it } from "vitest";
import { upCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { playDeletions } from "./testing/play-deletions.ts";

describe("instances that are deleted while they are made", needs(whyNoContainers()), () => {
  it("leave what their policies say, and nothing else", async () => {
    await using cluster = await upCluster({ flags: ["--no-sample"] });
    expect(await playDeletions(cluster, { count: 6, seed: 5, lanes: 3 })).toEqual([]);
  });
});
