import { watch } from "node:fs";
import { readdir } from "node:fs/promises";
import { inBackground, type Clock, type Logger, type Timer } from "@kedge/machinery";
import type { ContainerFolders } from "./container-record.ts";
import { isAlive } from "./processes.ts";
import type { ContainerInfo } from "./types.ts";

/** What exits are watched with. */
export interface ExitWatchOptions {
  readonly folders: ContainerFolders;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly inspect: (id: string) => Promise<ContainerInfo | undefined>;
}

/** Tells of containers that have ended. */
export interface ExitWatch {
  /** Each listener hears of each container once, also of those that ended before it came. */
  listen(listener: (container: ContainerInfo) => void): () => void;
  /** Looks at once. */
  scan(): Promise<void>;
  /** The container was removed: its name may be used again. */
  forget(id: string): void;
  close(): void;
}

/** The kernel tells of new exit files at once; this finds those that it did not tell of, and lost containers. */
const scanEveryMs = 5000;

/** What a container ended with that vanished together with its monitor: as if it had been killed. */
const lostExitCode = 137;

/** Watches the folder of exit files. */
export function watchExits({ folders, clock, logger, inspect }: ExitWatchOptions): ExitWatch {
  const ended = new Map<string, ContainerInfo>();
  const listeners = new Set<(container: ContainerInfo) => void>();
  let timer: Timer | undefined;
  let closed = false;

  const tell = (listener: (container: ContainerInfo) => void, container: ContainerInfo): void => {
    try {
      listener(container);
    } catch (error) {
      logger.error("Listener for ended containers failed", { container: container.id, error });
    }
  };

  const look = async (id: string): Promise<void> => {
    // Names with a dot are files that are still being written.
    if (closed || ended.has(id) || id.includes(".")) return;
    const container = await inspect(id);
    if (closed || ended.has(id) || container?.state !== "exited") return;
    ended.set(id, container);
    for (const listener of listeners) tell(listener, container);
  };

  const scan = async (): Promise<void> => {
    for (const id of await folders.ids()) await findLost(id, folders);
    for (const id of await readdir(folders.exits).catch(() => [])) await look(id);
  };

  const cannotLook = (error: unknown): void => {
    logger.warn("Could not look for ended containers", { error });
  };
  const scanAndGoOn = async (): Promise<void> => {
    await clock.track(scan()).catch(cannotLook);
    if (!closed) timer = clock.timer(scanEveryMs, () => inBackground(scanAndGoOn(), cannotLook));
  };

  const watcher = watch(folders.exits, (_event, name) => {
    if (name === null) return;
    inBackground(clock.track(look(name)), (error) => {
      logger.warn("Could not read how a container ended", { container: name, error });
    });
  });
  watcher.on("error", (error) =>
    logger.warn("Cannot watch for ended containers, looking now and then", { error }),
  );
  inBackground(scanAndGoOn(), cannotLook);

  return {
    listen(listener) {
      listeners.add(listener);
      const before = [...ended.values()];
      queueMicrotask(() => {
        if (listeners.has(listener)) for (const container of before) tell(listener, container);
      });
      return () => listeners.delete(listener);
    },
    scan,
    forget: (id) => ended.delete(id),
    close() {
      closed = true;
      timer?.cancel();
      watcher.close();
      listeners.clear();
    },
  };
}

/** A container without process, without monitor and without exit file (after a crash of the machine) has ended. */
async function findLost(id: string, folders: ContainerFolders): Promise<void> {
  const record = await folders.read(id);
  if (record?.process === undefined || isAlive(record.process)) return;
  if (record.monitor !== undefined && isAlive(record.monitor)) return;
  if ((await folders.exit(id)) === undefined) await folders.writeExit(id, lostExitCode);
}
