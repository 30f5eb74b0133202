import { seededRandom, VirtualClock, type LogFields, type Logger } from "@kedge/machinery";
import { onTestFinished } from "vitest";
import type { Controller } from "../controller/types.ts";
import { createManager } from "../manager/create-manager.ts";
import type { Manager } from "../manager/types.ts";
import { MemoryApi } from "./memory-api.ts";

/** One line of a log. */
export type LogLine = LogFields & { readonly level: string; readonly message: string };

/** A manager on a server in memory and on virtual time. */
export interface ManagedWorld {
  readonly clock: VirtualClock;
  readonly api: MemoryApi;
  readonly manager: Manager;
  /** What was logged: level and message. */
  readonly logs: readonly string[];
  /** The same, with all fields. */
  readonly lines: readonly LogLine[];
  /** Starts it and waits until it is ready. */
  start(...controllers: readonly Controller[]): Promise<void>;
  /** Stops it; rejects when it failed. */
  stop(): Promise<void>;
}

/** Makes one; it is stopped with the test. */
export function managedWorld(): ManagedWorld {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const logs: string[] = [];
  const lines: LogLine[] = [];
  const manager = createManager({
    client: api.client(),
    clock,
    random: seededRandom("manager"),
    name: "tester",
    logger: recording(logs, lines),
  });
  const end = new AbortController();
  let running: Promise<void> | undefined;
  onTestFinished(() => end.abort());
  return {
    clock,
    api,
    manager,
    logs,
    lines,
    async start(...controllers) {
      for (const controller of controllers) manager.add(controller);
      running = manager.run(end.signal);
      running.catch(() => undefined);
      await clock.runUntil(manager.ready());
      await clock.settle();
    },
    async stop() {
      end.abort();
      if (running !== undefined) await clock.runUntil(running);
    },
  };
}

function recording(logs: string[], lines: LogLine[], given: LogFields = {}): Logger {
  const log = (level: string) => (message: string, fields?: LogFields) => {
    logs.push(`${level} ${message}`);
    lines.push({ level, message, ...given, ...fields });
  };
  return {
    debug: log("debug"),
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    with: (fields) => recording(logs, lines, { ...given, ...fields }),
  };
}
