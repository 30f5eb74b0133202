import { mkdirSync } from "node:fs";
import { formatTime, inBackground, messageOf, type Clock } from "@kedge/machinery";
import { boundLogs } from "./bound-logs.ts";
import type { ClusterFolder } from "./cluster-folder.ts";
import { folderProblem } from "./folder-problem.ts";
import type { launchPart, Role } from "./launch-part.ts";
import { startPartProcess, type PartProcess } from "./part-process.ts";
import { describeProcess, saveRunning, type RunningProcess, type Trouble } from "./running-processes.ts";
import { isStoppedPart } from "./stopped-nodes.ts";

/** Starts the parts of a cluster as processes, starts those again that fail or do not answer, and stops them. */
export interface Supervisor {
  /** Resolves when the part says that it is ready; rejects when it ends before, with the end of its log. */
  start(role: Role, options?: StartPartOptions): Promise<void>;
  /** Stops all, the last started first. None is started any more. */
  stop(): Promise<void>;
}

/** How a part is started. */
export interface StartPartOptions {
  /** Told how far the first start has come. */
  readonly onProgress?: ((what: string) => void) | undefined;
  /** The path of the network namespace that it is in, each time. Default: the supervisor's own. */
  readonly namespace?: string | undefined;
}

/** What a supervisor works with. */
export interface SupervisorOptions {
  readonly folder: ClusterFolder;
  readonly clock: Clock;
  /** Told when a part ended by itself or did not answer, and when it is back. */
  readonly onTrouble: (message: string) => void;
  /** Told what got into another state in the cluster. */
  readonly onChange?: (what: string) => void;
  readonly launch?: typeof launchPart;
}

/** How long to wait before a part is started again. Doubles until it has lived for the longest pause. */
const shortestPause = 1000;
const longestPause = 30_000;

/** How often to look whether a node that was stopped is wanted again. */
const stoppedPause = 200;

/** How often the length of the logs is looked at. */
const logPause = 30_000;

/** A supervisor for the cluster in a folder. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { folder, clock, onTrouble } = options;
  const parts = new Map<Role, PartProcess>();
  const troubles = new Map<Role, Trouble>();
  const stopping = new AbortController();
  mkdirSync(folder.logs, { recursive: true });

  const lookAtLogs = (): void => {
    try {
      boundLogs(folder.logs);
    } catch (error) {
      onTrouble(`the logs in ${folder.logs} cannot be kept short: ${messageOf(error)}`);
    }
    if (!stopping.signal.aborted) timer = clock.timer(logPause, lookAtLogs);
  };
  let timer = clock.timer(logPause, lookAtLogs);

  let writing = Promise.resolve();
  const write = async (): Promise<void> => {
    const processes: RunningProcess[] = [describeProcess("supervisor", process.pid)];
    for (const [role, { pid }] of parts) {
      const trouble = troubles.get(role);
      if (pid !== undefined) processes.push({ ...describeProcess(role, pid), ...(trouble && { trouble }) });
    }
    await saveRunning(folder, processes);
  };
  // One after the other: parts may be started at the same time.
  const remember = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(write);
    return writing;
  };
  // A cluster that runs does so on a full disk, too.
  const rememberIfPossible = (): Promise<void> =>
    remember().catch((error: unknown) => onTrouble(`${folder.running} was not written: ${messageOf(error)}`));

  const launch = (role: Role, how: StartPartOptions): PartProcess => {
    stopping.signal.throwIfAborted();
    const part = startPartProcess(role, { ...options, ...how });
    parts.set(role, part);
    return part;
  };

  /** Resolves when the part is wanted again; false when it was all the time. */
  const waitWhileStopped = async (role: Role): Promise<boolean> => {
    if (!isStoppedPart(folder, role)) return false;
    onTrouble(`${role} was stopped. \`kedge node start\` starts it again.`);
    while (isStoppedPart(folder, role)) await clock.sleep(stoppedPause, stopping.signal);
    return true;
  };

  /** Starts a part again whenever it ends. */
  const keep = async (role: Role, first: PartProcess, namespace: string | undefined): Promise<void> => {
    let part = first;
    let pause = shortestPause;
    let since = clock.monotonic();
    for (;;) {
      const { why, lastWords } = await part.ended;
      if (stopping.signal.aborted) return;
      try {
        if (await waitWhileStopped(role)) pause = shortestPause;
        else {
          pause = clock.monotonic() - since < longestPause ? pause : shortestPause;
          const restarts = (troubles.get(role)?.restarts ?? 0) + 1;
          troubles.set(role, { restarts, at: formatTime(clock.now()), why });
          onTrouble(
            [`${role} ${why}. It is started again in ${pause / 1000} s.`, ...lastWords].join("\n    "),
          );
          await rememberIfPossible();
          await clock.sleep(pause, stopping.signal);
          // Somebody may have stopped it meanwhile.
          await waitWhileStopped(role);
        }
        part = launch(role, { namespace });
      } catch (error) {
        if (stopping.signal.aborted) return;
        onTrouble(`${role} cannot be started: ${messageOf(error)}`);
        pause = Math.min(pause * 2, longestPause);
        continue;
      }
      since = clock.monotonic();
      pause = Math.min(pause * 2, longestPause);
      await rememberIfPossible();
      const isBack = await part.ready.then(
        () => true,
        () => false,
      );
      if (isBack) onTrouble(`${role} is back`);
    }
  };

  return {
    async start(role, how = {}) {
      const part = launch(role, how);
      try {
        await remember();
        await part.ready;
      } catch (error) {
        part.kill();
        // Said here: on its way to who carries out the start only its words are left.
        throw folderProblem(error, folder);
      }
      inBackground(keep(role, part, how.namespace), (error) =>
        onTrouble(`${role} is not looked after: ${messageOf(error)}`),
      );
    },
    async stop() {
      stopping.abort(new Error("the cluster is being stopped"));
      timer.cancel();
      for (const part of [...parts.values()].toReversed()) await part.stop();
    },
  };
}
