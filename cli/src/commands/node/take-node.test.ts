import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { expect, it, onTestFinished } from "vitest";
import { clusterFolder } from "../../cluster/cluster-folder.ts";
import type { FolderLock } from "../../cluster/folder-lock.ts";
import { takeNode } from "./take-node.ts";

// Locks of the kernel, by a program that Linux machines have.
it("one command at a time has a node, others wait for it", async ({ skip }) => {
  if (process.platform !== "linux") skip("needs Linux");
  const path = mkdtempSync(join(tmpdir(), "kedge-take-node-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const [one, two] = ["node-1", "node-2"].map((name) => ({
    folder: clusterFolder(path),
    node: { name },
  }));
  const take = async (node = one): Promise<FolderLock> => {
    const lock = node && (await takeNode(node, "node stop", realClock));
    if (lock === undefined || lock instanceof Error) throw new Error("not taken", { cause: lock });
    return lock;
  };
  const order: string[] = [];
  const first = await take();
  const next = async (): Promise<void> => {
    const lock = await take();
    order.push("second");
    lock.release();
  };
  const second = next();
  // Another node is free meanwhile; to take it lasts as long as the second had to get through.
  (await take(two)).release();
  order.push("first");
  first.release();
  await second;
  expect(order).toEqual(["first", "second"]);
});
