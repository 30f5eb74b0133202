import { seededRandom } from "@kedge/machinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLaboratory, type Laboratory } from "../node/laboratory.ts";
import { whyNoContainers } from "../node/needs.ts";
import { startStreamCluster, type StreamCluster } from "./testing/stream-cluster.ts";
import { visit, type Visit } from "./testing/vanishing-client.ts";
import { needs } from "../testing/needs.ts";

describe("commands in a real container whose client vanishes", needs(whyNoContainers()), () => {
  const random = seededRandom(Number(process.env["KEDGE_TEST_SEED"] ?? 20261116));
  let lab: Laboratory;
  let cluster: StreamCluster;
  let id = "";
  beforeAll(async () => {
    lab = await openLaboratory();
    const { runtime, images } = lab;
    const command = ["sleep", "1000000"];
    cluster = await startStreamCluster({ runtime, images, image: "busybox:1.35", command });
    id = (await runtime.list())[0]?.id ?? "";
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await lab[Symbol.asyncDispose]();
  });

  it.each<[readonly string[], Visit["step"], Visit["way"]]>([
    [["yes"], "some output", "reset"],
    [["yes"], "no reading", "destroy"],
    [["yes"], "the request", "reset"],
    [["sleep", "54321"], "a moment after the request", "destroy"],
    [["sleep", "54321"], "a full stdin", "reset"],
    [["sh", "-c", "sleep 54321 & sleep 54321"], "the upgrade", "end"],
  ])("%j: %s, %s", async (command, step, way) => {
    const target = cluster.server;
    const path = target.pathOf({ action: "exec", command });
    await visit({ target, path, protocol: "v5.channel.k8s.io", step, way }, random);
    const left = async (): Promise<string> => {
      const { stdout } = await lab.exec(id, "ps", "-o", "args");
      return stdout
        .split("\n")
        .filter((line) => line === command.join(" "))
        .join();
    };
    await expect.poll(left, { interval: 500 }).toBe("");
  });
});
