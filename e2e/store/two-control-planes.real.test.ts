import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, loadKubeconfig, type Client } from "@kedge/client";
import { realClock } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { upCluster } from "../cluster/testing/up-cluster.ts";
import { until } from "../real/wait.ts";
import { freePort } from "../testing/free-port.ts";
import { startEtcd } from "./testing/etcd-cluster.ts";

const small = ["--runtime", "simulated", "--no-sample", "--no-operators"];
const namespace = "default";

it("of two control planes on one etcd one works, and when it is killed the other goes on", async () => {
  await using etcd = await startEtcd();
  const url = `etcd://${etcd.endpoints.join(",")}/two`;
  await using cluster = await upCluster({ flags: [...small, "--store", url] });
  // What `up` started with the store of others works before we look: somebody leads.
  await deploy(cluster.client, "first");
  await cluster.down();

  await using a = await startControlPlane(cluster.dir, "a");
  await using b = await startControlPlane(cluster.dir, "b");
  await until("one leads", async () => [a, b].filter(leads).length === 1);
  await deploy(b.client, "second");
  const [leader, other] = leads(a) ? [a, b] : [b, a];
  expect(leads(other)).toBe(false);
  const before = await holder(other.client);
  leader.process.kill("SIGKILL");
  await until("the other leads", async () => leads(other));
  expect(await holder(other.client)).not.toBe(before);
  await deploy(other.client, "third");
  const { items } = await other.client.of(Pod).list({ namespace }).all();
  expect(items.length).toBe(6);
});

interface ControlPlane extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly client: Client;
  readonly log: () => string;
}

/** The server part of a cluster once more, of a copy of its folder and at a port of its own. */
async function startControlPlane(of: string, name: string): Promise<ControlPlane> {
  const dir = `${of}-${name}`;
  await cp(of, dir, { recursive: true });
  const settings = join(dir, "cluster.json");
  const port = await freePort();
  const copied = JSON.parse(await readFile(settings, "utf8")) as object;
  await writeFile(settings, JSON.stringify({ ...copied, port }));
  const part = join(import.meta.dirname, "../../cli/src/parts/server.ts");
  const child = fork(part, [dir], { execArgv: ["--conditions=kedge-source"], silent: true });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (log += chunk.toString("utf8")));
  const ready = Promise.withResolvers<void>();
  child.on("message", (message: { readonly type?: string }) => {
    if (message.type === "ready") ready.resolve();
  });
  child.once("exit", (code) => ready.reject(new Error(`the part ended with ${code}:\n${log}`)));
  await ready.promise;
  const config = await loadKubeconfig({ env: {}, clock: realClock, path: join(dir, "kubeconfig") });
  const client = connect({ ...config, server: `https://127.0.0.1:${port}` }, { clock: realClock });
  return {
    process: child,
    client,
    log: () => log,
    async [Symbol.asyncDispose]() {
      await client.close();
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Both the controllers and the scheduler, each by a Lease of its own. */
function leads({ log }: Pick<ControlPlane, "log">): boolean {
  const told = log();
  return ["kube-controller-manager", "kube-scheduler"].every((lease) =>
    told.split("\n").some((line) => line.includes("We lead") && line.includes(`kube-system/${lease}`)),
  );
}

async function holder(client: Client): Promise<string | undefined> {
  const lease = await client.of(Lease).get({ namespace: "kube-system", name: "kube-controller-manager" });
  return lease.spec?.holderIdentity;
}

/** A deployment of two, of which the controllers make pods. */
async function deploy(client: Client, name: string): Promise<void> {
  const labels = { app: name };
  await client.of(Deployment).create({
    metadata: { namespace, name },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "c" }] } },
    },
  });
  await until(`${name} has its pods`, async () => {
    const { items } = await client
      .of(Pod)
      .list({ namespace, labelSelector: `app=${name}` })
      .all();
    return items.length === 2;
  });
}
