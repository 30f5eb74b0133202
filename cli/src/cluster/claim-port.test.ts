import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeWhole } from "@kedge/network/write-whole";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimPort } from "./claim-port.ts";
import { clusterFolder } from "./cluster-folder.ts";
import { freePort } from "./free-port.ts";
import { describeProcess, saveRunning } from "./running-processes.ts";
import { makeClaimsOld } from "./testing/make-claims-old.ts";

describe("claims of ports", () => {
  let cache = "";
  let wished = 0;
  beforeEach(async () => {
    cache = await mkdtemp(join(tmpdir(), "kedge-claims-"));
    wished = await freePort(0);
  });
  afterEach(() => rm(cache, { recursive: true }));
  const folderOf = (name: string) => clusterFolder(join(cache, name));
  const claimFor = (name: string, demanded?: number) =>
    claimPort({ demanded, wished }, { folder: folderOf(name), cache });

  it("give clusters that start at once different ports, though nobody listens yet", async () => {
    const all = await Promise.all(["a", "b", "c"].map((name) => claimFor(name)));
    expect(new Set(all).size).toBe(3);
    expect(all).toContain(wished);
  });

  it("hold while the cluster runs, though its server does not listen for a moment", async () => {
    await claimFor("a");
    await writeWhole(folderOf("a").settings, JSON.stringify({ port: wished }));
    await saveRunning(folderOf("a"), [describeProcess("supervisor", process.pid)]);
    await makeClaimsOld(join(cache, "ports"));
    expect(await claimFor("b")).not.toBe(wished);
    await expect(claimFor("b", wished)).rejects.toThrow(
      `--port ${wished}: it is the port of the cluster in ${folderOf("a").path}. Give another, or none for a free one. ` +
        `\`kedge down --dir ${folderOf("a").path}\` stops that cluster.`,
    );
  });

  it("end with the start, where the cluster does not run", async () => {
    await claimFor("a");
    await writeWhole(folderOf("a").settings, JSON.stringify({ port: wished }));
    await makeClaimsOld(join(cache, "ports"));
    expect(await claimFor("b")).toBe(wished);
  });

  it("are no hindrance to the cluster that has them", async () => {
    expect(await claimFor("a")).toBe(wished);
    expect(await claimFor("a")).toBe(wished);
    expect(await claimFor("a", wished)).toBe(wished);
  });
});
