import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realRandom } from "@kedge/machinery";
import { afterEach, beforeEach, expect, it } from "vitest";
import { clusterFolder, type ClusterFolder } from "./cluster-folder.ts";
import {
  hasCluster,
  loadSettings,
  newSettings,
  saveSettings,
  settingsForStop,
  withNodes,
} from "./cluster-settings.ts";
import { nodeFolder } from "./node-folder.ts";

let folder: ClusterFolder;
beforeEach(() => {
  folder = clusterFolder(mkdtempSync(join(tmpdir(), "kedge-settings-")));
});
afterEach(() => rmSync(folder.path, { recursive: true }));

it("are new for a new cluster, and stay what they were", async () => {
  expect(await hasCluster(folder)).toBe(false);
  const first = newSettings({ podRange: "10.244.0.0/16", serviceRange: "10.96.0.0/16" }, realRandom);
  expect(first).toMatchObject({ domain: "cluster.local", port: 6443, sampleCreated: false });
  expect(first.id).toMatch(/^[0-9a-f]{6}$/u);
  await saveSettings(folder, { ...first, port: 7000 });
  expect(await hasCluster(folder)).toBe(true);
  expect(await loadSettings(folder)).toEqual({ ...first, port: 7000 });
});

it("get more nodes when that is wished, and keep those that there are", () => {
  const one = newSettings({ podRange: "10.244.0.0/16", serviceRange: "10.96.0.0/16" }, realRandom);
  const three = withNodes(one, 3);
  expect(three.nodes.map(({ name }) => name)).toEqual(["kedge", "kedge-2", "kedge-3"]);
  expect(three.nodes[0]).toEqual(one.nodes[0]);
  expect(withNodes(three, 3)).toBe(three);
  expect(() => withNodes(three, 2)).toThrow(
    /^--nodes 2: the cluster has 3 nodes \(kedge, kedge-2, kedge-3\).*kedge node stop.*kedge down --purge/u,
  );
});

it.each([
  ["something else", '{"id": 7}', /cluster\.json is not a cluster's settings\. .*give another --dir/u],
  [
    "nodes that are none",
    '{"id":"a","podRange":"p","serviceRange":"s","domain":"d","port":1,"sampleCreated":true,"nodes":[{"name":"kedge"}]}',
    /cluster\.json is not a cluster's settings/u,
  ],
  [
    "half a file",
    '{"id": ',
    /cluster\.json cannot be read: .*JSON.*\. .*put a copy of it back.*give another --dir\.$/u,
  ],
])("are not made anew over %s", async (_what, text, said) => {
  writeFileSync(folder.settings, text);
  await expect(loadSettings(folder)).rejects.toThrow(said);
});

it("of a cluster from before the list of nodes keep its node, its addresses and its volumes", async () => {
  // As version 0.1.0 wrote it.
  const former = `{
  "id": "3fa9c1",
  "podRange": "10.245.0.0/16",
  "serviceRange": "10.97.0.0/16",
  "domain": "cluster.local",
  "port": 6443,
  "nodeName": "kedge",
  "sampleCreated": true,
  "exposeNodePorts": false,
  "storeCreated": true
}
`;
  writeFileSync(folder.settings, former);
  const settings = await loadSettings(folder);
  const { nodeName: _, ...same } = JSON.parse(former) as { nodeName: string };
  const node = { name: "kedge", networkId: "3fa9c1", folder: ".", podCIDR: "10.245.0.0/24" };
  expect(settings).toEqual({ ...same, nodes: [node] });
  expect(nodeFolder(folder, node)).toEqual({
    agent: join(folder.path, "node"),
    containers: join(folder.path, "node/containers"),
    network: join(folder.path, "network"),
    volumes: join(folder.path, "volumes"),
  });
  await saveSettings(folder, settings);
  expect(await loadSettings(folder)).toEqual(settings);
});

it.each([
  ["damaged", "\0\0\0"],
  ["another file's", '{"apiVersion":"v1"}'],
])("that are %s still say how the cluster is stopped, and are not read for a start", async (_what, text) => {
  const settings = newSettings({ podRange: "10.244.0.0/16", serviceRange: "10.96.0.0/16" }, realRandom);
  await saveSettings(folder, settings);
  writeFileSync(folder.settings, text);
  expect(await hasCluster(folder)).toBe(true);
  expect(await settingsForStop(folder)).toEqual(settings);
  await expect(loadSettings(folder)).rejects.toThrow(/cluster\.json.*cluster\.json\.copy/u);
  writeFileSync(folder.settingsCopy, text);
  await expect(settingsForStop(folder)).rejects.toThrow(/cluster\.json/u);
});
