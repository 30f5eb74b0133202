import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { beforeAll, describe, expect, it } from "vitest";
import {
  changesBetween,
  machineState,
  namesOf,
  processesOf,
  type ClusterNames,
  type MachineState,
} from "./testing/machine.ts";
import { whyNoContainers } from "../node/needs.ts";
import { redis } from "./testing/redis.ts";
import { cliProgram, type CliResult } from "./testing/run-cli.ts";
import { upCluster, type TestCluster } from "./testing/up-cluster.ts";
import { pidsIn } from "../soak/part-processes.ts";
import { needs } from "../testing/needs.ts";

// The tests follow each other: each goes on with the cluster as the one before has left it.
describe("a cluster from its first start to its end", needs(whyNoContainers()), () => {
  let cluster: TestCluster;
  let before: MachineState;
  let names: ClusterNames;

  beforeAll(async () => {
    before = await machineState({ words: [], id: "" });
    cluster = await upCluster();
    names = namesOf(cluster.dir);
    return () => cluster[Symbol.asyncDispose]();
  });

  it("brings a Redis that answers the printed command, and says how long it took", async () => {
    expect(cluster.printed).toMatch(/^Ready in \d+\.\d s\. Next:$/mu);
    const [, command = ""] = /^ {2}\.\/kedge (redis cli .*) --dir .*$/mu.exec(cluster.printed) ?? [];
    expect(await cluster.cli(...command.split(" "))).toEqual({ code: 0, stdout: "PONG\n", stderr: "" });
    expect(cluster.printed).not.toContain("was taken");
    const sample = await cluster.client.of(RedisInstance).get({ namespace: "default", name: "sample" });
    expect(sample.status).toMatchObject({ status: "Running", readyReplicas: "1/1" });
    const info = await cluster.cli("redis", "cli", "sample", "--", "info", "replication");
    expect(info.stdout).toContain("role:master");
  });

  it("says what runs, to people and to programs", async () => {
    const { code, stdout } = await cluster.cli("status", "-o", "json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      folder: cluster.dir,
      running: true,
      ready: true,
      processes: ["supervisor", "server", "node/kedge", "operator"].map((role) => ({ role })),
      cluster: {
        nodes: [{ name: "kedge", ready: true }],
        pods: { ready: 1, all: 1 },
        redisInstances: [{ name: "default/sample", status: "Running", ready: "1/1" }],
      },
    });
    expect((await cluster.cli("status")).stdout).toContain("redis       default/sample Running 1/1");
  });

  it("does not start twice in a folder", async () => {
    const { code, stderr } = await cluster.cli("up", "--detach");
    expect(code).toBe(1);
    expect(stderr).toMatch(/a cluster already runs in \S+ \(process \d+\)\. `kedge status --dir/u);
  });

  it("starts its API server again when it is killed, and the others go on with it", async () => {
    const running = pidsIn(cluster.dir);
    process.kill(running.get("server") ?? 0, "SIGKILL");
    await expect.poll(() => pidsIn(cluster.dir).get("server")).not.toBe(running.get("server"));
    // Server, controllers, scheduler, node and operator all have their part in this.
    await expect
      .poll(() => cluster.client.of(RedisInstance).get({ namespace: "default", name: "sample" }))
      .toMatchObject({ status: { status: "Running" } });
    const late = { metadata: { namespace: "default", name: "late" }, spec: { image: "redis:7.0" } };
    await cluster.client.of(RedisInstance).apply(late, { fieldManager: "e2e" });
    await expect.poll(() => redis(cluster, "late-0", "ping"), { interval: 200 }).toBe("PONG");
    await cluster.client.of(RedisInstance).delete({ namespace: "default", name: "late" });
    const now = pidsIn(cluster.dir);
    for (const role of ["supervisor", "node/kedge", "operator"])
      expect(now.get(role)).toBe(running.get(role));
  });

  it("starts its node again when it is killed, whose containers have gone on", async () => {
    const runId = async (): Promise<string | undefined> =>
      /run_id:\w+/u.exec(await redis(cluster, "sample-0", "info", "server"))?.[0];
    const [first, node] = [await runId(), pidsIn(cluster.dir).get("node/kedge")];
    expect(first).toBeDefined();
    process.kill(node ?? 0, "SIGKILL");
    await expect.poll(() => pidsIn(cluster.dir).get("node/kedge")).not.toBe(node);
    await expect.poll(runId).toBe(first);
  });

  it("starts parts again that do not answer, and says so", { timeout: 400_000 }, async () => {
    const running = pidsIn(cluster.dir);
    const roles = ["server", "node/kedge", "operator"];
    for (const role of roles) process.kill(running.get(role) ?? 0, "SIGSTOP");
    await expect
      .poll(() => roles.filter((role) => pidsIn(cluster.dir).get(role) === running.get(role)), {
        timeout: 180_000,
      })
      .toEqual([]);
    const statusOf = async (): Promise<CliResult> => await cluster.cli("status");
    await expect.poll(statusOf, { interval: 500 }).toMatchObject({ code: 0 });
    const { stdout } = await statusOf();
    for (const role of roles) {
      expect(stdout).toMatch(
        new RegExp(
          `^  restarted   ${role} .*: it did not answer for 3\\d s, stopped by a signal, and was killed$`,
          "mu",
        ),
      );
    }
    await expect.poll(() => redis(cluster, "sample-0", "ping"), { interval: 200 }).toBe("PONG");
  });

  it("leaves nothing behind when it is stopped, and goes on with its data when it is started again", async () => {
    expect(await redis(cluster, "sample-0", "set", "greeting", "hello")).toBe("OK");
    const during = await machineState(names);
    expect(during.processes.join("\n")).toContain("redis-server");
    expect(during.cgroups).not.toEqual([]);
    expect(during.mounts.join("\n")).toContain("redis-runtime");
    expect(during.namespaces.join("\n")).toContain(`kedge-${names.id}`);
    expect(during.tables).toContain(`table ip kedge-${names.id}`);
    expect(await cluster.down()).toMatch(
      /^Stopped\. Its data is in \S+; `kedge up --dir \S+` goes on with it\.$/mu,
    );
    expect(changesBetween(before, await machineState(names))).toEqual([]);
    expect(await cluster.cli("status")).toMatchObject({ code: 1 });

    expect(await cluster.up()).not.toContain("was taken");
    expect(await redis(cluster, "sample-0", "get", "greeting")).toBe("hello");
    const { status } = await cluster.client.of(Pod).get({ namespace: "default", name: "sample-0" });
    expect(status?.containerStatuses?.find(({ name }) => name === "redis")).toMatchObject({
      lastState: { terminated: { exitCode: 0, reason: "Completed" } },
    });
  });

  it("cleans up after everything was killed at once", async () => {
    expect(await redis(cluster, "sample-0", "set", "last", "words")).toBe("OK");
    expect(await redis(cluster, "sample-0", "save")).toBe("OK");
    const left = processesOf(names.words);
    expect(left.map(({ command }) => command).join("\n")).toMatch(/conmon[^]*redis-server/u);
    // Stopped first, so that none of them sees another one end.
    for (const signal of ["SIGSTOP", "SIGKILL"]) for (const { pid } of left) process.kill(pid, signal);
    await expect.poll(() => processesOf(names.words)).toEqual([]);
    expect((await machineState(names)).mounts).not.toEqual([]);

    await cluster.up();
    expect(await redis(cluster, "sample-0", "get", "last")).toBe("words");
    const { items } = await cluster.client.of(Node).list().all();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["kedge"]);
  });

  it("takes down what was started when a start is interrupted", async () => {
    await cluster.down();
    const child = spawn(cliProgram, ["up", "--dir", cluster.dir], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (text.includes("✓ API server")) child.kill("SIGINT");
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const [code] = (await once(child, "close")) as [number | null];
    expect(code).toBe(1);
    expect(said).toMatch(/^✓ API server .*\n(?:✓ .*\n)*kedge: stopped before it was ready\n$/u);
    expect(changesBetween(before, await machineState(names))).toEqual([]);
  });

  it("deletes its data when it is told so, and then there is nothing to stop", async () => {
    expect(await cluster.down("--purge")).toBe("No cluster was running. Its data is deleted.\n");
    expect(existsSync(cluster.dir)).toBe(false);
    const { code, stderr } = await cluster.cli("down");
    expect(code).toBe(1);
    expect(stderr).toContain("there is no cluster in");
  });
});
