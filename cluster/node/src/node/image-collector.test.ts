import { expect, it } from "vitest";
import { silentLogger, VirtualClock } from "@kedge/machinery";
import { simulatedImages } from "../simulated/simulated-node.ts";
import { collectRegularly } from "./image-collector.ts";

it("a disk that stays full is said on the node, and said louder the second time", async () => {
  const clock = new VirtualClock();
  const told: string[] = [];
  const outcomes = [
    { wanted: 0, freed: 0 },
    { wanted: 50, freed: 20 },
    { wanted: 30, freed: 0 },
    { wanted: 30, freed: 40 },
  ];
  const stop = new AbortController();
  const running = collectRegularly(
    {
      clock,
      logger: silentLogger,
      nodeName: "node-1",
      images: {
        ...simulatedImages,
        collect: () => Promise.resolve(outcomes.shift() ?? { wanted: 0, freed: 0 }),
      },
      events: {
        record: ({ kind, metadata }, { reason, message }) => {
          told.push(`${clock.now() - Date.UTC(2026, 0)} ${kind}/${metadata.name} ${reason} ${message}`);
        },
        flush: () => Promise.resolve(),
      },
    },
    stop.signal,
  );
  await clock.runUntil(clock.sleep(1_000_000));
  stop.abort();
  await clock.runUntil(running);
  const text = (wanted: number, freed: number): string =>
    `Failed to garbage collect required amount of images. Attempted to free ${wanted} bytes, but only found ${freed} bytes eligible to free.`;
  expect(told).toEqual([
    `300000 Node/node-1 FreeDiskSpaceFailed ${text(50, 20)}`,
    `600000 Node/node-1 FreeDiskSpaceFailed ${text(30, 0)}`,
    `600000 Node/node-1 ImageGCFailed ${text(30, 0)}`,
  ]);
});
