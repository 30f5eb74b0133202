/**
 * What real containers cost on a cluster of one node: from `kedge up` to its first pod, starts of pods, the way through a
 * Service beside the way to its pod, memory. Needs root.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { connect, loadKubeconfig, type Client } from "@kedge/client";
import { realClock as clock } from "@kedge/machinery";
import { Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { percentile } from "../apiserver/percentile.ts";
import { kedge } from "../start/launcher.ts";
import { memoryOf } from "../start/processes.ts";
import { printTable } from "../start/table.ts";
import { FollowedPods } from "../cluster/follow-pods.ts";

const namespace = "default";
/** Pods one after the other, pods at once, and requests of each kind. */
const [inTurn, atOnce, requests] = [30, 50, 1000];

if (process.getuid?.() === 0) await measure();
else process.stdout.write("not measured: real pods need root\n");

async function measure(): Promise<void> {
  // The bundle of the sources is made by whoever comes first.
  kedge("version");
  const dir = mkdtempSync(join(tmpdir(), "kedge-bench-"));
  try {
    const began = clock.monotonic();
    kedge("up", "--detach", "--no-sample", "--no-operators", "--dir", dir);
    const path = join(dir, "kubeconfig");
    const client = connect(await loadKubeconfig({ env: {}, clock, path }), { clock });
    using pods = new FollowedPods(client, namespace);
    await createPod(client, "first");
    await pods.until(({ ready }) => ready === 1);
    const first = clock.monotonic() - began;
    const idle = memory(dir);
    const starts = await startsInTurn(client, pods);
    const [together, full] = await startTogether(client, pods, dir);
    const [direct, led] = await waysToPod(client, pods);
    await client.close();
    printTable(
      [`real pods, one node, load ${(loadavg()[0] ?? 0).toFixed(1)}`, "p50", "p99"],
      [
        ["kedge up to the first pod Ready, ms", ms(first), ""],
        [`start of a pod to Ready, ms (${inTurn} in turn)`, ...both(starts)],
        [`${atOnce} pods at once to Ready, ms`, ms(together), ""],
        ["GET from a pod, ms (new connections)", ...both(direct, 2)],
        ["GET through its Service, ms", ...both(led, 2)],
        ["what the Service adds, ms", (percentile(led, 0.5) - percentile(direct, 0.5)).toFixed(2), ""],
        [`memory of all processes, MiB: idle, with ${atOnce} pods`, idle.toFixed(0), full.toFixed(0)],
      ],
    );
  } finally {
    kedge("down", "--purge", "--dir", dir);
    rmSync(dir, { recursive: true, force: true });
  }
}

async function startsInTurn(client: Client, pods: FollowedPods): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < inTurn; index++) {
    const began = clock.monotonic();
    await createPod(client, "next");
    await pods.until(({ ready }) => ready === 2);
    times.push(clock.monotonic() - began);
    await client.of(Pod).delete({ namespace, name: "next" });
    await pods.until(({ all }) => all === 1);
  }
  return times;
}

async function startTogether(
  client: Client,
  pods: FollowedPods,
  dir: string,
): Promise<readonly [ms: number, memory: number]> {
  const names = Array.from({ length: atOnce }, (_, index) => `many-${index}`);
  const began = clock.monotonic();
  await Promise.all(names.map((name) => createPod(client, name)));
  await pods.until(({ ready }) => ready === atOnce + 1);
  const took = clock.monotonic() - began;
  const used = memory(dir);
  await Promise.all(names.map((name) => client.of(Pod).delete({ namespace, name })));
  await pods.until(({ all }) => all === 1);
  return [took, used];
}

/** How long a request takes to a pod, and through a Service that has only this one; in turns. */
async function waysToPod(
  client: Client,
  pods: FollowedPods,
): Promise<readonly [direct: readonly number[], led: readonly number[]]> {
  const labels = { app: "web" };
  await client.of(Service).create({
    metadata: { namespace, name: "web" },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
  });
  await client.of(Pod).create({
    metadata: { namespace, name: "web", labels },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "web", image: "kedge.dev/echo:1", env: [{ name: "PORT", value: "8080" }] }],
    },
  });
  await pods.until(({ ready }) => ready === 2);
  const { status } = await client.of(Pod).get({ namespace, name: "web" });
  const { spec } = await client.of(Service).get({ namespace, name: "web" });
  const urls = [`http://${status?.podIP}:8080/`, `http://${spec?.clusterIP}/`] as const;
  for (const url of urls) await untilAnswered(url);
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < requests; round++) {
    for (const [index, url] of urls.entries()) {
      const began = clock.monotonic();
      await get(url);
      times[index]?.push(clock.monotonic() - began);
    }
  }
  return times;
}

async function untilAnswered(url: string): Promise<void> {
  for (;;) {
    try {
      await get(url);
      return;
    } catch {
      // The proxy, or the server in the pod, is not there yet.
      await clock.sleep(50);
    }
  }
}

/** On a new connection each time: a connection's first packet is what a Service has to decide about. */
function get(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (response) => {
      response.resume().on("end", resolve).on("error", reject);
    });
    asked.setTimeout(5000, () => asked.destroy(new Error(`${url} did not answer within 5 s`)));
    asked.on("error", reject).end();
  });
}

async function createPod(client: Client, name: string): Promise<void> {
  await client.of(Pod).create({
    metadata: { namespace, name },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "main", image: "busybox:1.35", command: ["sleep", "100000"] }],
    },
  });
}

/** Private pages of all processes of the cluster, without those of its containers. */
function memory(dir: string): number {
  const processes = JSON.parse(readFileSync(join(dir, "running.json"), "utf8")) as { readonly pid: number }[];
  return processes.reduce((sum, { pid }) => sum + memoryOf(pid).privateMiB, 0);
}

function both(values: readonly number[], digits = 0): readonly [string, string] {
  return [percentile(values, 0.5).toFixed(digits), percentile(values, 0.99).toFixed(digits)];
}

function ms(value: number): string {
  return value.toFixed(0);
}
