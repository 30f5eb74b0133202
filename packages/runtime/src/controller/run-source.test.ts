import { describe, expect, it } from "vitest";
import { managedWorld } from "../testing/run-manager.ts";
import { Widget } from "../testing/widget.ts";
import { defineController } from "./define-controller.ts";
import type { Source } from "./run-source.ts";

const key = { namespace: "a", name: "one" };

/** A controller of widgets with a source, and why it ran. */
async function worldWith(source: Source) {
  const world = managedWorld();
  const causes: string[] = [];
  await world.api
    .client()
    .of(Widget)
    .create({ metadata: key, spec: { parts: 1 } });
  const controller = defineController({
    name: "widgets",
    for: Widget,
    sources: [source],
    reconcile(run) {
      causes.push(...run.causes.map(({ source: who, reason }) => `${who}: ${reason}`));
      return Promise.resolve(undefined);
    },
  });
  await world.start(controller);
  return { ...world, causes };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

describe("a source", () => {
  it("makes a controller look at an object, and ends with the manager", async () => {
    let lose = (): void => undefined;
    let hasEnded = false;
    const world = await worldWith(async (enqueue, signal) => {
      lose = () => enqueue(key, "connection lost");
      await aborted(signal);
      hasEnded = true;
    });
    expect(world.causes).not.toContain("outside: connection lost");
    lose();
    await world.clock.settle();
    expect(world.causes).toContain("outside: connection lost");
    await world.stop();
    expect(hasEnded).toBe(true);
  });

  it("that does not end with its signal is left behind after 5 s, and the manager ends", async () => {
    const world = await worldWith(() => new Promise(() => undefined));
    const before = world.clock.monotonic();
    await world.stop();
    expect(world.clock.monotonic() - before).toBe(5000);
    expect(world.logs).toContain("error A source did not end when it was told to, and is left behind");
    expect(world.logs).not.toContain("error Some parts did not end in time and were left behind");
  });

  it.each<[string, () => Promise<void>, string]>([
    ["fails", () => Promise.reject(new Error("no bus")), "error A source failed; it is started again"],
    ["ends", () => Promise.resolve(), "warn A source has ended; it is started again"],
    [
      "throws at once",
      () => {
        throw new Error("no bus");
      },
      "error A source failed; it is started again",
    ],
  ])("that %s is started again, later each time, and the controller goes on", async (_how, end, line) => {
    let starts = 0;
    const { logs, clock, api, causes } = await worldWith(() => {
      starts++;
      return end();
    });
    await clock.advance(60_000);
    expect(starts).toBeGreaterThan(3);
    expect(starts).toBeLessThan(8);
    expect(logs).toContain(line);
    causes.length = 0;
    await api
      .client()
      .of(Widget)
      .patch(key, { merge: { spec: { parts: 2 } } });
    await clock.settle();
    expect(causes).toHaveLength(1);
  });
});
