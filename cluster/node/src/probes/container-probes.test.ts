import { VirtualClock } from "@kedge/machinery";
import type { Probe } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import type { Health } from "../model/types.ts";
import { containerNamed } from "../testing/pods.ts";
import { startProbes, type ContainerProbes } from "./container-probes.ts";

/** Probes of a container whose every probe answers what `answers` says at that second. */
function probing(
  probes: { startupProbe?: Probe; readinessProbe?: Probe; livenessProbe?: Probe },
  answers: (second: number) => boolean,
  known?: { started: boolean; ready: boolean },
): { clock: VirtualClock; made: ContainerProbes; changes: string[]; told: string[] } {
  const clock = new VirtualClock({ epoch: 0 });
  const changes: string[] = [];
  const told: string[] = [];
  const made = startProbes({
    clock,
    prober: {
      probe: () =>
        Promise.resolve({ outcome: answers(clock.now() / 1000) ? "success" : "failure", output: "no" }),
    },
    target: { instanceId: "i", container: containerNamed("app", probes), podAddress: "10.0.0.1" },
    startedAt: 0,
    known,
    onChange: () => changes.push(`${clock.now() / 1000} ${text(made.health)}`),
    onUnhealthy: (message) => told.push(message),
  });
  return { clock, made, changes, told };
}

function text({ started, ready, failed }: Health): string {
  return [
    started ? "started" : "starting",
    ready ? "ready" : "unready",
    ...(failed === undefined ? [] : [failed]),
  ].join(" ");
}

it("without probes a container is started and ready at once", () => {
  expect(text(probing({}, () => false).made.health)).toBe("started ready");
});

it("a container is ready when its probe succeeds, and no more after three failures in a row", async () => {
  const { clock, changes, told } = probing(
    { readinessProbe: { periodSeconds: 10 } },
    (s) => s < 15 || s > 45,
  );
  await clock.advance(70_000);
  expect(changes).toEqual(["0 started ready", "40 started unready", "50 started ready"]);
  expect(told).toEqual(Array(3).fill("Readiness probe failed: no"));
});

it("until it is ready for the first time it is asked sooner than its period says", async () => {
  const { clock, changes, told } = probing({ readinessProbe: { periodSeconds: 60 } }, (s) => s >= 2);
  await clock.advance(5000);
  expect(changes).toHaveLength(1);
  expect(Number(changes[0]?.split(" ")[0])).toBeLessThan(3.5);
  expect(told).toHaveLength(1);
});

it("the first probe waits for initialDelaySeconds", async () => {
  const { clock, changes } = probing({ readinessProbe: { initialDelaySeconds: 7 } }, () => true);
  await clock.advance(10_000);
  expect(changes).toEqual(["7 started ready"]);
});

it("liveness is asked only after the startup probe has succeeded, and its verdict is final", async () => {
  const { clock, changes } = probing(
    {
      startupProbe: { periodSeconds: 1, failureThreshold: 30 },
      livenessProbe: { periodSeconds: 2, failureThreshold: 2 },
    },
    (s) => s >= 5 && s < 9,
  );
  await clock.advance(60_000);
  expect(changes).toEqual(["5 started ready", "11 started ready liveness"]);
});

it("a container that does not start in time has failed", async () => {
  const { clock, changes } = probing(
    { startupProbe: { periodSeconds: 2, failureThreshold: 3 } },
    () => false,
  );
  await clock.advance(60_000);
  expect(changes).toEqual(["4 starting ready startup"]);
});

it("what was known before a restart of the agent holds until three failures", async () => {
  const { clock, made, changes } = probing({ readinessProbe: { periodSeconds: 10 } }, () => false, {
    started: true,
    ready: true,
  });
  expect(text(made.health)).toBe("started ready");
  await clock.advance(60_000);
  expect(changes).toHaveLength(1);
});

it("after stop nothing is asked any more", async () => {
  const { clock, made, told } = probing({ livenessProbe: { periodSeconds: 1 } }, () => false);
  await clock.advance(0);
  made.stop();
  await clock.advance(60_000);
  expect(told).toHaveLength(1);
  expect(clock.pending().timers).toBe(0);
});

it("who is being stopped is asked only whether it is ready", async () => {
  let up = true;
  const probes = { livenessProbe: { periodSeconds: 1 }, readinessProbe: { periodSeconds: 1 } };
  const { clock, made, told } = probing(probes, () => up);
  await clock.advance(5000);
  made.quiet();
  up = false;
  await clock.advance(10_000);
  expect(text(made.health)).toBe("started unready");
  expect(told.filter((line) => line.includes("Liveness"))).toEqual([]);
  made.stop();
});
