import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { supervise } from "./supervised.ts";
import { until } from "./wait.ts";

it("gives no port and no folder twice, however many start at once", async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => supervise()));
  const ports = all.flatMap((one) => one.ports);
  const folders = all.map((one) => one.folder);
  await Promise.all(all.map((one) => one.stop()));
  expect(new Set(ports).size).toBe(18);
  expect(new Set(folders).size).toBe(6);
  expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
});

it("ends the last started first", async () => {
  const supervised = await supervise();
  const started = [];
  for (const name of ["one", "two"]) {
    started.push(
      await supervised.start({ name, program: "/bin/sh", args: ["-c", "echo here; exec sleep 60"] }),
    );
  }
  await until("both run", async () => {
    const logs = await Promise.all(
      ["one", "two"].map((name) => readFile(join(supervised.folder, `${name}.log`), "utf8")),
    );
    return logs.every((log) => log === "here\n");
  });
  await supervised.throwIfEnded();
  await supervised.stop();
  // Told in the order of their ends.
  await expect(supervised.throwIfEnded()).rejects.toThrow("two ended (SIGKILL)");
  for (const { pid } of started) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

it("tells how a program ended, and what it said last", async () => {
  const supervised = await supervise();
  const lines = "for i in $(seq 40); do echo line $i; done; exit 7";
  await supervised.start({ name: "short", program: "/bin/sh", args: ["-c", lines] });
  const failing = until("it has ended", async () => {
    await supervised.throwIfEnded();
    return false;
  });
  await expect(failing).rejects.toThrow(
    /^short ended \(exit code 7\)\. Its last lines:\nline 26\n[^]*line 40$/u,
  );
  await supervised.stop();
});

it("tells when a program cannot be started", async () => {
  const supervised = await supervise();
  const starting = supervised.start({ name: "none", program: "/no/such/program", args: [] });
  await expect(starting).rejects.toThrow("none ended (spawn /no/such/program ENOENT)");
  await supervised.stop();
});
