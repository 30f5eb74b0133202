import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { PodBench } from "../testing/pod-bench.ts";
import { containerNamed, podOf } from "../testing/pods.ts";
import { simulatedImages } from "../simulated/simulated-node.ts";

describe("what a pod asks for and does not get", () => {
  it("AppArmor on a machine without it fails the pod, as with the kubelet", async () => {
    const appArmorProfile = { type: "RuntimeDefault" };
    await using bench = await PodBench.open(podOf({ spec: { securityContext: { appArmorProfile } } }));
    await bench.start();
    await bench.clock.advance(5000);
    expect(bench.pod.status).toMatchObject({
      phase: "Failed",
      reason: "AppArmor",
      message: "Cannot enforce AppArmor: AppArmor is not enabled on the host",
    });
    expect(bench.pod.status?.containerStatuses).toBeUndefined();
    expect(await bench.runtime.list()).toEqual([]);
  });

  it("another field keeps it Pending, with an event that names the field", async () => {
    const seLinuxOptions = { level: "s0:c1" };
    await using bench = await PodBench.open(podOf({ spec: { securityContext: { seLinuxOptions } } }));
    await bench.start();
    await bench.clock.advance(5000);
    expect(bench.pod.status?.phase).toBe("Pending");
    expect(bench.events[0]).toContain("spec.securityContext.seLinuxOptions");
  });

  it("huge pages keep it Pending, with an event that names them", async () => {
    const resources = { limits: { "hugepages-2Mi": "4Mi", memory: "8Mi" } };
    await using bench = await PodBench.open(
      podOf({ spec: { containers: [containerNamed("app", { resources })] } }),
    );
    await bench.start();
    await bench.clock.advance(5000);
    expect(bench.pod.status?.phase).toBe("Pending");
    expect(bench.events[0]).toMatch(
      / FailedCreatePodSandBox this node cannot do what the pod asks for: hugepages-2Mi of app's resources$/u,
    );
  });

  it("an ephemeral container that asks for it waits and says why, beside a pod that goes on", async () => {
    await using bench = await PodBench.open(podOf());
    await bench.start();
    await bench.clock.advance(1000);
    const debug = { name: "debug", image: "busybox", securityContext: { procMount: "Unmasked" } };
    bench.change((pod) => ({
      ...pod,
      spec: {
        ...pod.spec,
        containers: [...(pod.spec?.containers ?? [])],
        ephemeralContainers: [debug],
      },
    }));
    await bench.clock.advance(10_000);
    const { status } = bench.pod;
    expect(status?.phase).toBe("Running");
    expect(status?.ephemeralContainerStatuses).toMatchObject([
      {
        name: "debug",
        state: {
          waiting: {
            reason: "CreateContainerError",
            message: expect.stringContaining("procMount Unmasked of debug") as unknown,
          },
        },
      },
    ]);
  });
});

describe("a pod with too much on disk", () => {
  const scratch = { name: "scratch", emptyDir: { sizeLimit: "64Ki" } };

  it("is thrown out within seconds, and says why", async () => {
    await using bench = await PodBench.open(podOf({ spec: { volumes: [scratch] } }));
    await bench.start();
    await bench.clock.advance(1000);
    const folder = join(bench.folder, "pods", bench.pod.metadata.uid, "volumes/scratch/deep");
    await mkdir(folder);
    await writeFile(join(folder, "large"), Buffer.alloc(100_000, 1));
    await bench.clock.advance(30_000);
    const message = 'Usage of EmptyDir volume "scratch" exceeds the limit "64Ki". ';
    expect(bench.pod.status).toMatchObject({ phase: "Failed", reason: "Evicted", message });
    expect(bench.pod.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" }),
    );
    expect(bench.events.filter((event) => event.includes(" Evicted "))).toHaveLength(1);
    const [ended] = await bench.runtime.list();
    expect(ended?.state).toBe("exited");
  });

  it("is not looked at again and again before it has a container", async () => {
    const images = {
      ...simulatedImages,
      resolve: () => new Promise<never>(() => undefined),
      has: () => Promise.resolve(false),
    };
    await using bench = await PodBench.open(podOf({ spec: { volumes: [scratch] } }), { images });
    const timers = vi.spyOn(bench.clock, "timer");
    await bench.start();
    await bench.clock.advance(60_000);
    expect(timers.mock.calls.length).toBeLessThan(100);
  });

  it("stays when it is within its limits", async () => {
    await using bench = await PodBench.open(podOf({ spec: { volumes: [scratch] } }));
    await bench.start();
    await bench.clock.advance(60_000);
    expect(bench.pod.status?.phase).toBe("Running");
  });
});

describe("a pod on a node that is short of something", () => {
  it("fails at once when it has to go, also while the API server is away", async () => {
    let isAway = false;
    const onPatch = (): Promise<void> => (isAway ? Promise.reject(new Error("away")) : Promise.resolve());
    await using bench = await PodBench.open(podOf(), { onPatch });
    await bench.start();
    await bench.clock.advance(1000);
    isAway = true;
    bench.evict("The node was low on resource: memory. ");
    await bench.clock.advance(5000);
    expect((await bench.runtime.list()).map(({ state }) => state)).toEqual(["exited"]);
    expect(bench.pod.status?.phase).toBe("Running");
    isAway = false;
    await bench.clock.advance(60_000);
    expect(bench.pod.status).toMatchObject({
      phase: "Failed",
      reason: "Evicted",
      message: "The node was low on resource: memory. ",
    });
    expect(bench.pod.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" }),
    );
    expect(bench.events.filter((event) => event.includes(" Evicted "))).toHaveLength(1);
  });

  it("is not taken when it comes too late: nothing of it is started", async () => {
    await using bench = await PodBench.open(podOf());
    await bench.start({ rejection: "The node had condition: [DiskPressure]. " });
    await bench.clock.advance(5000);
    expect(bench.pod.status).toMatchObject({
      phase: "Failed",
      reason: "Evicted",
      message: "Pod was rejected: The node had condition: [DiskPressure]. ",
    });
    expect(bench.pod.status?.containerStatuses).toBeUndefined();
    expect(bench.events).toEqual([
      expect.stringMatching(/ Evicted The node had condition: \[DiskPressure\]\. $/u),
    ]);
    expect(await bench.runtime.list()).toEqual([]);
  });
});
