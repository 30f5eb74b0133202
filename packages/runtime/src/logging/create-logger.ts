import type { Clock, LogFields, Logger } from "@kedge/machinery";
import { pino, stdSerializers, type Logger as Pino } from "pino";
import { redacted } from "./redacted.ts";

/** From chatty to silent. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

/** How much is written. */
export type LogLevel = (typeof logLevels)[number];

/** What a logger may be told. */
export interface LoggerOptions {
  readonly clock: Clock;
  /** Default: info. */
  readonly level?: LogLevel;
  /** Takes one line of JSON, with its line feed. Default: standard error. */
  readonly write?: (line: string) => void;
}

/**
 * Logs as lines of JSON: `{"level":"info","time":"2026-11-15T21:36:02.000Z","msg":"…", …fields}`. Errors keep their
 * causes and stacks; what is called a secret, password, token or key is never written.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { clock, level = "info", write } = options;
  const settings = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: stdSerializers.errWithCause },
  };
  return wrap(pino(settings, write === undefined ? process.stderr : { write }));
}

function wrap(target: Pino): Logger {
  const log =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, fields?: LogFields): void => {
      if (!target.isLevelEnabled(level)) return;
      if (fields === undefined) target[level](message);
      else target[level](redacted(fields), message);
    };
  return {
    debug: log("debug"),
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    with: (fields) => wrap(target.child(redacted(fields))),
  };
}
