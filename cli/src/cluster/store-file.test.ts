import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realRandom } from "@kedge/machinery";
import { afterEach, beforeEach, expect, it } from "vitest";
import { clusterFolder, type ClusterFolder } from "./cluster-folder.ts";
import { newSettings } from "./cluster-settings.ts";
import { checkStoreFile } from "./store-file.ts";

let folder: ClusterFolder;
beforeEach(() => {
  folder = clusterFolder(mkdtempSync(join(tmpdir(), "kedge-store-file-")));
});
afterEach(() => rmSync(folder.path, { recursive: true }));
const settings = newSettings({ podRange: "10.244.0.0/16", serviceRange: "10.96.0.0/16" }, realRandom);

it("is made by the first start, however often that is cut off", () => {
  expect(() => checkStoreFile(folder, settings)).not.toThrow();
});

it("is not made anew for a cluster that had one", () => {
  const had = { ...settings, storeCreated: true };
  const file = join(folder.store, "data.mdb");
  expect(() => checkStoreFile(folder, had)).toThrow(
    `${file} is missing: all objects of this cluster were in it. Put it back (is a file system not mounted?); or ` +
      `delete what is left of the cluster, volumes included, with \`kedge down --dir ${folder.path} --purge\`; or ` +
      `give another --dir.`,
  );
  mkdirSync(folder.store);
  writeFileSync(file, "");
  expect(() => checkStoreFile(folder, had)).toThrow(`${file} is empty`);
  writeFileSync(file, "something");
  expect(() => checkStoreFile(folder, had)).not.toThrow();
});
