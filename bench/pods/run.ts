/**
 * How fast simulated pods come up and go: Deployments of several sizes, from their creation to all pods Ready, and from
 * their deletion to none being left. The control plane (durable store, controllers, scheduler) and the node are processes
 * of their own, the node over HTTPS; only the containers are simulated. Arguments: the sizes. Default 500 1000 2000.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { connect, loadKubeconfig, type Client } from "@kedge/client";
import { realClock as clock } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { FollowedPods } from "./follow-pods.ts";
import type { ServerPlace } from "./server-place.ts";

interface Usage {
  readonly cpu: { readonly user: number; readonly system: number };
  readonly rss: number;
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : [500, 1000, 2000];
const server = start("control-plane.ts");
const place = await messageOf<ServerPlace>(server);
const node = start("simulated-node.ts", [JSON.stringify(place)]);
await messageOf(node);
const config = await loadKubeconfig({ env: {}, clock, path: place.kubeconfig });
const client = connect(config, { clock });

process.stdout.write("simulated pods, 1 container each, no service account token\n\n");
process.stdout.write(
  row([
    "pods",
    "up s",
    "pods/s",
    "gone s",
    "pods/s",
    "server ms/pod",
    "node ms/pod",
    "server MiB",
    "node MiB",
  ]),
);
let requests = "";
await measure(client, 50);
for (const size of sizes) {
  const result = await measure(client, size);
  process.stdout.write(row(result.cells));
  requests = result.requests;
}
process.stdout.write(`\nrequests for each pod from creation to Ready, of ${sizes.at(-1)}:\n${requests}`);
await client.close();
for (const part of [node, server]) {
  const ended = once(part, "exit");
  part.disconnect();
  await ended;
}

async function measure(
  api: Client,
  size: number,
): Promise<{ readonly cells: readonly string[]; readonly requests: string }> {
  using pods = new FollowedPods(api, "default");
  await pods.following;
  const before = await usages();
  const began = clock.monotonic();
  await createDeployment(api, size);
  await pods.until(({ ready }) => ready === size);
  const up = clock.monotonic() - began;
  await untilQuiet();
  const after = await usages();
  const ends = clock.monotonic();
  await api.of(Deployment).delete({ namespace: "default", name: "web" }, { propagation: "Background" });
  await pods.until(({ all }) => all === 0);
  const gone = clock.monotonic() - ends;
  const [serverMs = 0, nodeMs = 0] = after.map((usage, index) => {
    const first = before[index];
    return first === undefined ? 0 : (cpuMs(usage) - cpuMs(first)) / size;
  });
  const [serverMiB = 0, nodeMiB = 0] = after.map(({ rss }) => rss / 1024 / 1024);
  return {
    cells: [
      String(size),
      (up / 1000).toFixed(1),
      (size / (up / 1000)).toFixed(0),
      (gone / 1000).toFixed(1),
      (size / (gone / 1000)).toFixed(0),
      serverMs.toFixed(1),
      nodeMs.toFixed(1),
      serverMiB.toFixed(0),
      nodeMiB.toFixed(0),
    ],
    requests: requestsText(before, after, size),
  };
}

/** Events are written behind the pods: they belong to what a pod costs. */
async function untilQuiet(): Promise<void> {
  for (let last = -1, now = await total(); now !== last; last = now, now = await total()) {
    await clock.sleep(500);
  }
}

async function total(): Promise<number> {
  const all = (await usages()).flatMap(({ requests: senders }) => Object.values(senders));
  return all.flatMap((sorts) => Object.values(sorts)).reduce((sum, count) => sum + count, 0);
}

async function createDeployment(api: Client, replicas: number): Promise<void> {
  const labels = { app: "web" };
  await api.of(Deployment).create({
    metadata: { namespace: "default", name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 0,
          containers: [
            { name: "main", image: "app:1", resources: { requests: { cpu: "10m", memory: "16Mi" } } },
          ],
        },
      },
    },
  });
}

function requestsText(before: readonly Usage[], after: readonly Usage[], size: number): string {
  const lines: string[] = [];
  let sum = 0;
  for (const [index, { requests: senders }] of after.entries()) {
    for (const [sender, sorts] of Object.entries(senders)) {
      for (const [sort, count] of Object.entries(sorts).toSorted(([, one], [, other]) => other - one)) {
        const each = (count - (before[index]?.requests[sender]?.[sort] ?? 0)) / size;
        sum += each;
        if (each >= 0.005) lines.push(`${each.toFixed(2).padStart(6)}  ${sender.padEnd(24)}${sort}\n`);
      }
    }
  }
  return `${lines.join("")}${sum.toFixed(2).padStart(6)}  all\n`;
}

function start(program: string, args: readonly string[] = []): ChildProcess {
  const path = fileURLToPath(new URL(program, import.meta.url));
  return fork(path, [...args], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

async function usages(): Promise<readonly Usage[]> {
  const answers: Usage[] = [];
  for (const part of [server, node]) {
    const answer = messageOf<Usage>(part);
    part.send("usage");
    answers.push(await answer);
  }
  return answers;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- our own programs send it
async function messageOf<T>(part: ChildProcess): Promise<T> {
  const [message] = (await once(part, "message")) as [T];
  return message;
}

function cpuMs({ cpu }: Usage): number {
  return (cpu.user + cpu.system) / 1000;
}

function row(cells: readonly string[]): string {
  return `${cells.map((cell) => cell.padStart(13)).join(" ")}\n`;
}
