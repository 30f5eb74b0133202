import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeWhole } from "@kedge/network/write-whole";
import type { ClusterFolder } from "./cluster-folder.ts";
import { nodeOfRole, type Role } from "./launch-part.ts";

/** Whether somebody wants this node not to run (`kedge node stop`). It is a file, which the supervisor looks for. */
export function isStopped(folder: ClusterFolder, name: string): boolean {
  return existsSync(markOf(folder, name));
}

/** The same of a part; only nodes can be stopped apart. */
export function isStoppedPart(folder: ClusterFolder, role: Role): boolean {
  const name = nodeOfRole(role);
  return name !== undefined && isStopped(folder, name);
}

/** The supervisor does not start the node again when it ends. */
export async function markStopped(folder: ClusterFolder, name: string): Promise<void> {
  await rm(endOf(folder, name), { force: true });
  await writeWhole(markOf(folder, name), "");
}

/** Of a node that shares its process with others: it has noticed, and says nothing any more. */
export async function sayEnded(folder: ClusterFolder, name: string): Promise<void> {
  if (!hasEnded(folder, name)) await writeWhole(endOf(folder, name), "");
}

/** Whether it has. */
export function hasEnded(folder: ClusterFolder, name: string): boolean {
  return existsSync(endOf(folder, name));
}

/** It does so, and soon. */
export async function unmarkStopped(folder: ClusterFolder, name: string): Promise<void> {
  await rm(markOf(folder, name), { force: true });
}

function markOf(folder: ClusterFolder, name: string): string {
  return join(folder.nodes, name, "stopped");
}

function endOf(folder: ClusterFolder, name: string): string {
  return join(folder.nodes, name, "ended");
}
