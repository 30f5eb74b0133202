import { constants } from "node:fs";
import { open, rm, type FileHandle } from "node:fs/promises";
import { hasCode, type Clock } from "@kedge/machinery";
import { ContainerError } from "./container-error.ts";
import { isAlive, type ProcessIdentity } from "./processes.ts";

/** A container that waits to be told to start. */
export interface WaitingContainer {
  readonly id: string;
  /** The pipe that its first process writes a byte into before it becomes the container's own program. */
  readonly pipe: string;
  readonly process: ProcessIdentity;
}

/**
 * Lets a container run that `runc create` has made. This is all that `runc start` does, without a process for it: that
 * takes longer than many a container.
 */
export async function begin({ id, pipe, process }: WaitingContainer, clock: Clock): Promise<void> {
  const failed = (why: string): ContainerError =>
    new ContainerError("START_FAILED", `container ${id}: ${why}`);
  // With this, opening does not wait for the other side, which may have died.
  const file = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw hasCode(error, "ENOENT") ? failed("it does not wait to be started") : error;
  });
  try {
    for (;;) {
      const isThere = isAlive(process);
      if (await hasByte(file)) break;
      if (!isThere) throw failed("its process has ended before it was started");
      await clock.sleep(1);
    }
  } finally {
    await file.close();
  }
  await rm(pipe, { force: true });
}

async function hasByte(file: FileHandle): Promise<boolean> {
  try {
    const { bytesRead } = await file.read(Buffer.alloc(1));
    return bytesRead > 0;
  } catch (error) {
    // Somebody has it open, and has not written yet.
    if (hasCode(error, "EAGAIN")) return false;
    throw error;
  }
}
