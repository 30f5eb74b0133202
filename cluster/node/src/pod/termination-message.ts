import { open } from "node:fs/promises";
import { readTail } from "../logs/read-tail.ts";
import type { PodFolder } from "./pod-folder.ts";
import type { ContainerDefinition } from "../model/types.ts";

const longestMessage = 4096;
const longestFromLog = 2048;
const mostLines = 80;

/** What a container that ended left for its status: its message file, or the end of its log if it wishes so. */
export async function terminationMessage(
  folder: PodFolder,
  container: ContainerDefinition | undefined,
  ended: { readonly name: string; readonly attempt: number; readonly exitCode: number | undefined },
): Promise<string | undefined> {
  const written = await beginningOf(folder.messageOf(ended.name, ended.attempt));
  if (written !== "") return written;
  if (container?.terminationMessagePolicy !== "FallbackToLogsOnError" || ended.exitCode === 0)
    return undefined;
  const lines = await readTail(folder.logOf(ended.name, ended.attempt), mostLines);
  return lines.join("").slice(-longestFromLog);
}

async function beginningOf(path: string): Promise<string> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return "";
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestMessage), 0, longestMessage, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
