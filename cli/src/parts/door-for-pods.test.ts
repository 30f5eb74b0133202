import { VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { keepDoorForPods } from "./door-for-pods.ts";

const away = Object.assign(new Error("listen EADDRNOTAVAIL"), { code: "EADDRNOTAVAIL" });

it("opens when the address is there, and closes when it is told to", async () => {
  const [clock, stopping] = [new VirtualClock(), new AbortController()];
  const events: string[] = [];
  const open = async () => {
    events.push("tried");
    if (events.length < 3) throw away;
    return {
      close: async () => {
        events.push("closed");
      },
    };
  };
  const running = keepDoorForPods(open, { clock, signal: stopping.signal });
  await clock.advance(1000);
  expect(events).toEqual(["tried", "tried", "tried"]);
  stopping.abort();
  await running;
  expect(events).toEqual(["tried", "tried", "tried", "closed"]);
});

it("fails with what is more than an address that is not there", async () => {
  const [clock, { signal }] = [new VirtualClock(), new AbortController()];
  const open = async (): Promise<never> => {
    throw new Error("the port is taken");
  };
  await expect(keepDoorForPods(open, { clock, signal })).rejects.toThrow("the port is taken");
});
