import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { clusterFolder } from "./cluster-folder.ts";
import { meantCluster } from "./meant-cluster.ts";
import { describeProcess, saveRunning } from "./running-processes.ts";

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "kedge-meant-"));
});
afterEach(() => rm(dir, { recursive: true }));

it("a kubeconfig means its cluster, which is none of this machine's", async () => {
  expect(await meantCluster({ kubeconfig: "/some/file" })).toEqual({
    kubeconfig: "/some/file",
    embedded: undefined,
  });
});

it("a folder means the cluster that runs in it", async () => {
  const folder = clusterFolder(dir);
  await saveRunning(folder, [describeProcess("server", process.pid)]);
  expect(await meantCluster({ dir })).toEqual({
    kubeconfig: folder.kubeconfig,
    embedded: { folder, roles: ["server"] },
  });
});

it("a folder in which none runs is refused, with the command that starts one", async () => {
  expect(await meantCluster({ dir })).toMatchObject({
    message: `no cluster runs in ${clusterFolder(dir).path}. \`kedge up --dir ${dir}\` starts it.`,
  });
});

it("a folder and a kubeconfig at once are refused", async () => {
  expect(await meantCluster({ dir, kubeconfig: "/some/file" })).toMatchObject({
    message: "--dir and --kubeconfig name two clusters: give one of them.",
  });
});
