import { VirtualClock } from "@kedge/machinery";
import { createSimulatedRuntime, simulatedImages, type ContainerRuntime } from "@kedge/node";
import { expect, it } from "vitest";
import { stopContainers } from "./stop-containers.ts";

async function runtimeWith(ids: readonly string[], clock: VirtualClock): Promise<ContainerRuntime> {
  const runtime = createSimulatedRuntime({
    clock,
    lifeOf: ({ id }) => ({ ignoresTerm: id.startsWith("deaf") }),
  });
  for (const id of ids) {
    await runtime.create({
      id,
      labels: {},
      image: await simulatedImages.resolve("any:1"),
      command: ["run"],
      environment: {},
      workingDirectory: "/",
      user: { uid: 0, gid: 0, additionalGids: [] },
      hostname: "pod",
      mounts: [],
      networkNamespace: undefined,
      podUid: "pod",
      resources: {},
      privileged: false,
      readOnlyRootFilesystem: false,
      noNewPrivileges: false,
      capabilities: { add: [], drop: [] },
      tty: false,
      logPath: "/dev/null",
    });
    await runtime.start(id);
  }
  return runtime;
}

it("goes on as soon as all have ended, and leaves no timer that would keep the process alive", async () => {
  const clock = new VirtualClock();
  const runtime = await runtimeWith(["a", "b"], clock);
  await clock.runUntil(stopContainers(runtime, clock));
  expect((await runtime.list()).map(({ state, exitCode }) => [state, exitCode])).toEqual([
    ["exited", 143],
    ["exited", 143],
  ]);
  expect(clock.monotonic()).toBe(0);
  expect(clock.pending().timers).toBe(0);
});

it("waits ten seconds for one that does not end, and no longer", async () => {
  const clock = new VirtualClock();
  const runtime = await runtimeWith(["a", "deaf"], clock);
  await clock.runUntil(stopContainers(runtime, clock));
  expect((await runtime.list()).map(({ state }) => state)).toEqual(["exited", "running"]);
  expect(clock.monotonic()).toBe(10_000);
  expect(clock.pending().timers).toBe(0);
});

it("does not wait for one that has ended before", async () => {
  const clock = new VirtualClock();
  const runtime = await runtimeWith(["before", "a"], clock);
  await runtime.signal("before", "SIGKILL");
  await clock.settle();
  await clock.runUntil(stopContainers(runtime, clock));
  expect((await runtime.list()).map(({ state }) => state)).toEqual(["exited", "exited"]);
  expect(clock.monotonic()).toBe(0);
});

it("has nothing to do where nothing runs", async () => {
  const clock = new VirtualClock();
  await stopContainers(await runtimeWith([], clock), clock);
  expect(clock.pending().timers).toBe(0);
});
