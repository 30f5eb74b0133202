import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { clusterFolder, dirOption, partsOf } from "./cluster-folder.ts";

it("is the same folder whichever way leads to it, whether it exists or not", () => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "kedge-folder-")));
  mkdirSync(join(parent, "real"));
  symlinkSync(join(parent, "real"), join(parent, "link"));
  expect(clusterFolder(join(parent, "link")).path).toBe(join(parent, "real"));
  expect(clusterFolder(join(parent, "link/not/there/..")).path).toBe(join(parent, "real/not"));
  symlinkSync("yet/to/be", join(parent, "early"));
  expect(clusterFolder(join(parent, "early")).path).toBe(join(parent, "yet/to/be"));
  symlinkSync("circle", join(parent, "circle"));
  expect(clusterFolder(join(parent, "circle")).path).toBe(join(parent, "circle"));
  rmSync(parent, { recursive: true });
});

it("is .kedge in the working directory unless another is named", () => {
  expect(clusterFolder().path).toBe(join(process.cwd(), ".kedge"));
  expect([dirOption(), dirOption(".kedge"), dirOption("other")]).toEqual(["", "", " --dir other"]);
});

it("has all that it names below it, and only that is ours to delete", () => {
  const folder = clusterFolder("/somewhere/x");
  expect(partsOf(folder)).not.toContain(folder.path);
  for (const part of partsOf(folder)) expect(part.startsWith("/somewhere/x/")).toBe(true);
});
