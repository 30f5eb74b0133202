import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { resourceVersion, uid } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { containerNamed, podOf } from "../testing/pods.ts";
import { PodBench } from "../testing/pod-bench.ts";
import { simulatedImages } from "../simulated/simulated-node.ts";

const metadata = {
  namespace: "default",
  name: "conf",
  uid: uid("u"),
  resourceVersion: resourceVersion("1"),
  creationTimestamp: "2026-01-01T00:00:00Z",
};

/** Reports without their times and without repetitions. */
function story(reports: readonly string[]): string[] {
  const texts = reports.map((report) => report.replace(/^\S+ /u, ""));
  return texts.filter((text, index) => text !== texts[index - 1]);
}

describe("on the way up", () => {
  it("init containers run in order, then the others, then the probes decide", async () => {
    const pod = podOf({
      spec: {
        initContainers: [containerNamed("init")],
        containers: [containerNamed("app", { readinessProbe: { initialDelaySeconds: 5 } })],
      },
    });
    await using bench = await PodBench.open(pod, {
      lifeOf: (name) => (name === "init" ? { endsAfterMs: 3000 } : {}),
    });
    await bench.start();
    await bench.clock.advance(20_000);
    expect(story(bench.reports)).toEqual([
      "Pending init=PodInitializing app=PodInitializing",
      "Pending init=Running app=PodInitializing",
      "Pending init=Completed app=PodInitializing",
      "Running init=Completed app=Running",
      "Running init=Completed app=Running Ready",
    ]);
    expect(bench.reports.at(-1)).toMatch(/^8 /u);
    expect(bench.pod.status).toMatchObject({
      podIP: "10.244.0.2",
      hostIP: "192.0.2.1",
      observedGeneration: 1,
    });
    expect(bench.events.map((event) => event.split(" ")[1])).toEqual([
      "Pulled",
      "Created",
      "Started",
      "Pulled",
      "Created",
      "Started",
    ]);
  });

  it("an ephemeral container runs once beside the others, and its end changes nothing", async () => {
    await using bench = await PodBench.open(podOf(), {
      lifeOf: (name) => (name === "debug" ? { endsAfterMs: 5000, exitCode: 3 } : {}),
    });
    await bench.start();
    await bench.clock.advance(1000);
    bench.change((pod) => ({
      ...pod,
      spec: {
        ...pod.spec,
        containers: [...(pod.spec?.containers ?? [])],
        ephemeralContainers: [{ name: "debug", image: "busybox", targetContainerName: "" }],
      },
    }));
    await bench.clock.advance(2000);
    expect(bench.pod.status?.ephemeralContainerStatuses).toMatchObject([
      { name: "debug", ready: false, restartCount: 0, state: { running: {} } },
    ]);
    await bench.clock.advance(60_000);
    const { status } = bench.pod;
    expect(status?.ephemeralContainerStatuses).toMatchObject([
      {
        name: "debug",
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode: 3, reason: "Error" } },
      },
    ]);
    expect(status?.phase).toBe("Running");
    expect(status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
    expect(bench.events.filter((event) => event.includes("Started"))).toHaveLength(2);
  });

  it("an ephemeral container whose target does not run waits, and says so", async () => {
    await using bench = await PodBench.open(podOf());
    await bench.start();
    await bench.clock.advance(1000);
    const ephemeralContainers = [{ name: "debug", image: "busybox", targetContainerName: "nosuch" }];
    bench.change((pod) => ({
      ...pod,
      spec: { ...pod.spec, containers: [...(pod.spec?.containers ?? [])], ephemeralContainers },
    }));
    await bench.clock.advance(2000);
    expect(bench.pod.status?.ephemeralContainerStatuses?.[0]?.state?.waiting).toEqual({
      reason: "CreateContainerError",
      message: 'unable to find target container "nosuch"',
    });
  });

  it("what happens while a report is under way is said by one more, and waits for none", async () => {
    await using bench = await PodBench.open(podOf(), { onPatch: (clock) => clock.sleep(5000) });
    await bench.start();
    await bench.clock.advance(1000);
    expect(bench.events.map((event) => event.split(" ").slice(0, 2).join(" "))).toEqual([
      "0 Pulled",
      "0 Created",
      "0 Started",
    ]);
    await bench.clock.advance(60_000);
    expect(bench.reports).toEqual(["5 Pending app=ContainerCreating", "10 Running app=Running Ready"]);
    // Of the moment at which the pod was first looked at, whenever it was written.
    expect(bench.pod.status?.startTime).toBe("2026-01-01T00:00:00Z");
  });

  it("a report that fails is sent again after 1, 2, 4 … s, and the pod runs meanwhile", async () => {
    const tries: number[] = [];
    await using bench = await PodBench.open(podOf(), {
      onPatch: (clock) => {
        tries.push((clock.now() - Date.UTC(2026, 0)) / 1000);
        return tries.length < 5 ? Promise.reject(new Error("not now")) : Promise.resolve();
      },
    });
    await bench.start();
    await bench.clock.advance(60_000);
    expect(tries).toEqual([0, 1, 3, 7, 15]);
    expect(bench.events.at(-1)).toBe("0 Started Container started");
    expect(bench.reports).toEqual(["15 Running app=Running Ready"]);
  });

  it("a pod that is deleted goes only after its last report was taken", async () => {
    let isAway = false;
    await using bench = await PodBench.open(podOf(), {
      onPatch: async (clock) => {
        await clock.sleep(200);
        if (isAway) throw new Error("not now");
      },
    });
    await bench.start();
    await bench.clock.advance(10_000);
    isAway = true;
    bench.delete(1);
    await bench.clock.advance(10_000);
    expect(bench.isDeleted).toBe(false);
    isAway = false;
    await bench.finished();
    expect(bench.reports.at(-1)).toMatch(/app=(Error|Completed)$/u);
    expect(bench.isDeleted).toBe(true);
  });

  it("nothing is reported while nothing changes", async () => {
    await using bench = await PodBench.open(podOf());
    await bench.start();
    await bench.clock.advance(5000);
    const { length } = bench.reports;
    await bench.clock.advance(3_600_000);
    expect(bench.reports).toHaveLength(length);
  });

  it("a missing secret is said, and the container starts when it is there", async () => {
    const env = [{ name: "X", valueFrom: { secretKeyRef: { name: "pw", key: "k" } } }];
    await using bench = await PodBench.open(
      podOf({ spec: { containers: [containerNamed("app", { env })] } }),
    );
    await bench.start();
    await bench.clock.advance(500);
    expect(bench.pod.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: "CreateContainerConfigError",
      message: 'secret "pw" not found',
    });
    bench.secrets.set("pw", { apiVersion: "v1", kind: "Secret", metadata, data: { k: "eA==" } });
    bench.objectChanged();
    await bench.clock.advance(0);
    expect(bench.pod.status?.phase).toBe("Running");
  });

  it("an image that cannot be had is asked for again, later and later", async () => {
    const tries: number[] = [];
    const bench = await PodBench.open(podOf(), {
      images: {
        ...simulatedImages,
        has: () => Promise.resolve(false),
        resolve: () => {
          tries.push((bench.clock.now() - Date.UTC(2026, 0)) / 1000);
          return Promise.reject(new Error("no such image"));
        },
      },
    });
    await bench.start();
    await bench.clock.advance(80_000);
    expect(tries).toEqual([0, 10, 30, 70]);
    expect(bench.pod.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: "ImagePullBackOff",
      message: 'Back-off pulling image "app:1": ErrImagePull: no such image',
    });
    expect(bench.pod.status?.phase).toBe("Pending");
    await bench[Symbol.asyncDispose]();
  });

  it("what the node cannot do is said, and nothing is started", async () => {
    const spec = {
      containers: [containerNamed("app", { volumeDevices: [{ name: "v", devicePath: "/dev/x" }] })],
    };
    await using bench = await PodBench.open(podOf({ spec }));
    await bench.start();
    await bench.clock.advance(1000);
    expect(bench.events[0]).toContain("volumeDevices of app");
    expect(await bench.runtime.list()).toEqual([]);
  });
});

describe("while it runs", () => {
  it("a container that keeps ending is started again after 0, 10, 20, 40 … s", async () => {
    await using bench = await PodBench.open(podOf(), { lifeOf: () => ({ endsAfterMs: 1000, exitCode: 7 }) });
    await bench.start();
    await bench.clock.advance(80_000);
    const starts = bench.events
      .filter((event) => event.includes(" Started "))
      .map((event) => Number(event.split(" ")[0]));
    expect(starts).toEqual([0, 1, 12, 33, 74]);
    expect(bench.pod.status?.containerStatuses).toMatchObject([
      { restartCount: 4, lastState: { terminated: { exitCode: 7, reason: "Error" } } },
    ]);
    expect(bench.pod.status?.phase).toBe("Running");
    expect(
      bench.events.some((event) => event.includes("BackOff Back-off restarting failed container app")),
    ).toBe(true);
    // The current run and the one before are kept.
    expect(await bench.runtime.list()).toHaveLength(2);
  });

  it("a container whose liveness probe fails is killed and started again", async () => {
    const containers = [
      containerNamed("app", { livenessProbe: { exec: { command: ["x"] }, periodSeconds: 1 } }),
    ];
    const spec = { terminationGracePeriodSeconds: 5, containers };
    await using bench = await PodBench.open(podOf({ spec }), {
      prober: { probe: () => Promise.resolve({ outcome: "failure", output: "dead" }) },
      lifeOf: () => ({ ignoresTerm: true }),
    });
    await bench.start();
    await bench.clock.advance(8000);
    const told = bench.events.map((event) => event.replace(/^(\S+) (\S+).*/u, "$1 $2"));
    expect(told).toEqual(expect.arrayContaining(["2 Killing", "7 Started"]));
    expect(bench.pod.status?.containerStatuses).toMatchObject([
      { restartCount: 1, lastState: { terminated: { exitCode: 137 } } },
    ]);
  });

  it("files of a config map change in the volume, at once", async () => {
    const volumes = [{ name: "conf", configMap: { name: "conf" } }];
    await using bench = await PodBench.open(
      podOf({ spec: { volumes, containers: [containerNamed("app")] } }),
    );
    bench.configMaps.set("conf", { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1" } });
    await bench.start();
    await bench.clock.advance(100);
    const file = join(bench.folder, "pods", bench.pod.metadata.uid, "volumes/conf/a");
    expect(await readFile(file, "utf8")).toBe("1");
    bench.configMaps.set("conf", { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "2" } });
    bench.objectChanged();
    await bench.clock.advance(0);
    expect(await readFile(file, "utf8")).toBe("2");
  });

  it("a pod whose containers have succeeded is finished: address and volumes go, the log stays", async () => {
    await using bench = await PodBench.open(podOf({ spec: { restartPolicy: "Never" } }), {
      lifeOf: () => ({ endsAfterMs: 1000 }),
    });
    await bench.start();
    await bench.clock.advance(5000);
    expect(bench.pod.status).toMatchObject({ phase: "Succeeded", podIP: "10.244.0.2" });
    expect(await bench.network.attached()).toEqual([]);
    expect(await bench.runtime.list()).toHaveLength(1);
    expect(bench.isDeleted).toBe(false);
  });

  it("a pod that is active for too long fails", async () => {
    await using bench = await PodBench.open(podOf({ spec: { activeDeadlineSeconds: 20 } }));
    await bench.start();
    await bench.clock.advance(25_000);
    expect(bench.pod.status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
    expect((await bench.runtime.list()).map(({ state }) => state)).toEqual(["exited"]);
  });
});

describe("on the way out", () => {
  it("a pod is ready until it ends, is cleared, and only then the object goes", async () => {
    await using bench = await PodBench.open(podOf());
    await bench.start();
    await bench.clock.advance(1000);
    bench.delete(30);
    await bench.finished();
    expect(story(bench.reports)).toEqual([
      "Pending app=ContainerCreating",
      "Running app=Running Ready",
      "Running app=Error",
      "Failed app=Error",
    ]);
    expect(bench.isDeleted).toBe(true);
    expect(await bench.runtime.list()).toEqual([]);
    expect(await bench.network.attached()).toEqual([]);
  });

  it("who takes no notice of SIGTERM is killed when the grace period is over; preStop is part of it", async () => {
    const lifecycle = { preStop: { sleep: { seconds: 4 } } };
    const spec = { containers: [containerNamed("app", { lifecycle })] };
    await using bench = await PodBench.open(podOf({ spec }), { lifeOf: () => ({ ignoresTerm: true }) });
    await bench.start();
    await bench.clock.advance(1000);
    bench.delete(10);
    await bench.finished();
    expect((bench.clock.now() - Date.UTC(2026, 0)) / 1000).toBeCloseTo(11, 1);
    expect(bench.pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  });

  it("a second deletion with less time counts from then", async () => {
    await using bench = await PodBench.open(podOf(), { lifeOf: () => ({ ignoresTerm: true }) });
    await bench.start();
    await bench.clock.advance(1000);
    bench.delete(600);
    await bench.clock.advance(5000);
    bench.delete(3);
    await bench.finished();
    expect((bench.clock.now() - Date.UTC(2026, 0)) / 1000).toBeCloseTo(9, 1);
  });
});

describe("after a restart of the agent", () => {
  it("what runs is taken over: no restart, and no moment of not being ready", async () => {
    const containers = [containerNamed("app", { readinessProbe: { tcpSocket: { port: 1 } } })];
    await using bench = await PodBench.open(podOf({ spec: { containers } }));
    await bench.start();
    await bench.clock.advance(5000);
    await bench.stop();
    const before = [...bench.reports];
    await bench.start();
    await bench.clock.advance(30_000);
    expect(story(bench.reports)).toEqual(story(before));
    expect(await bench.runtime.list()).toHaveLength(1);
  });

  it("what ended meanwhile is started again", async () => {
    await using bench = await PodBench.open(podOf());
    await bench.start();
    await bench.clock.advance(1000);
    await bench.stop();
    for (const { id } of await bench.runtime.list()) await bench.runtime.signal(id, "SIGKILL");
    await bench.start();
    await bench.clock.advance(1000);
    expect(bench.pod.status?.containerStatuses).toMatchObject([{ restartCount: 1, ready: true }]);
  });

  it("after a reboot all is started anew", async () => {
    await using bench = await PodBench.open(podOf());
    await bench.start();
    await bench.clock.advance(1000);
    await bench.stop();
    for (const { id } of await bench.runtime.list()) await bench.runtime.remove(id);
    await bench.network.remove();
    await bench.start();
    await bench.clock.advance(1000);
    expect(bench.pod.status).toMatchObject({
      phase: "Running",
      podIP: "10.244.0.3",
      containerStatuses: [{ restartCount: 1, ready: true }],
    });
  });

  it("containers whose network is gone are not left in the dark", async () => {
    await using bench = await PodBench.open(podOf());
    await bench.start();
    await bench.clock.advance(1000);
    await bench.stop();
    await bench.network.remove();
    await bench.start();
    await bench.clock.advance(1000);
    expect(await bench.runtime.list()).toHaveLength(1);
    expect(bench.pod.status).toMatchObject({ podIP: "10.244.0.3", containerStatuses: [{ ready: true }] });
  });
});
