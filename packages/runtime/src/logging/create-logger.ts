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
  const root = pino(settings, write === undefined ? process.stderr : { write });
  return new PinoLogger(root, () => root);
}

type Level = "debug" | "info" | "warn" | "error";

/** Its fields are made into text when the first line is written: most loggers never write one. */
class PinoLogger implements Logger {
  readonly #root: Pino;
  #make: (() => Pino) | undefined;
  #target: Pino | undefined;

  constructor(root: Pino, make: () => Pino) {
    this.#root = root;
    this.#make = make;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log("error", message, fields);
  }

  with(fields: LogFields): Logger {
    return new PinoLogger(this.#root, () => this.#pino().child(redacted(fields)));
  }

  #log(level: Level, message: string, fields: LogFields | undefined): void {
    if (!this.#root.isLevelEnabled(level)) return;
    const target = this.#pino();
    if (fields === undefined) target[level](message);
    else target[level](redacted(fields), message);
  }

  #pino(): Pino {
    this.#target ??= this.#make?.() ?? this.#root;
    this.#make = undefined;
    return this.#target;
  }
}
