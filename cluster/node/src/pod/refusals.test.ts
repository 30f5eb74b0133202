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

  it("another size is refused while a container runs, and had when it starts again", async () => {
    const sized = (cpu: string) =>
      containerNamed("app", { resources: { limits: { cpu }, requests: { cpu } } });
    await using bench = await PodBench.open(podOf({ spec: { containers: [sized("1")] } }));
    await bench.start();
    await bench.clock.advance(1000);
    const pending = () => bench.pod.status?.conditions?.find(({ type }) => type === "PodResizePending");
    expect(pending()).toBeUndefined();
    bench.change((pod) => ({ ...pod, spec: { ...pod.spec, containers: [sized("2")] } }));
    await bench.clock.advance(1000);
    expect(pending()).toMatchObject({ status: "True", reason: "Infeasible" });
    expect(bench.pod.status?.containerStatuses).toMatchObject([
      { allocatedResources: { cpu: "1" }, resources: { limits: { cpu: "1" } } },
    ]);
    for (const { id } of await bench.runtime.list()) await bench.runtime.signal(id, "SIGKILL");
    await bench.clock.advance(1000);
    expect(pending()).toBeUndefined();
    expect(bench.pod.status?.containerStatuses).toMatchObject([
      { restartCount: 1, allocatedResources: { cpu: "2" }, resources: { limits: { cpu: "2" } } },
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
