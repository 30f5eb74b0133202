import { VirtualClock, type LogFields } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { createLogger, type LogLevel } from "./create-logger.ts";

function capture(level?: LogLevel) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    clock: new VirtualClock(),
    write: (line) => {
      expect(line.endsWith("\n")).toBe(true);
      lines.push(JSON.parse(line) as Record<string, unknown>);
    },
    ...(level !== undefined && { level }),
  });
  return { logger, lines };
}

describe("createLogger", () => {
  it("writes one line of JSON with level, the injected clock's time, message and fields", () => {
    const clock = new VirtualClock();
    const { logger, lines } = capture();
    logger.info("Scaled the instance", { name: "cache", replicas: 3 });
    const time = new Date(clock.now()).toISOString();
    expect(lines).toEqual([{ level: "info", time, msg: "Scaled the instance", name: "cache", replicas: 3 }]);
  });

  it("writes what is as important as its level, and nothing below", () => {
    const { logger, lines } = capture("warn");
    logger.debug("a");
    logger.info("b");
    logger.warn("c");
    logger.error("d");
    expect(lines.map(({ msg }) => msg)).toEqual(["c", "d"]);
  });

  it("keeps fields for all lines of a derived logger", () => {
    const { logger, lines } = capture();
    logger.with({ controller: "redis" }).with({ key: "default/cache" }).info("Reconciled", { ms: 3 });
    expect(lines[0]).toMatchObject({ controller: "redis", key: "default/cache", ms: 3 });
  });

  it("writes errors with their causes", () => {
    const { logger, lines } = capture();
    logger.error("Failed", { error: new Error("outer", { cause: new Error("inner") }) });
    expect(lines[0]).toMatchObject({
      error: { type: "Error", message: "outer", cause: { message: "inner" } },
    });
  });

  it.each<[string, LogFields]>([
    ["a password", { password: "hunter2" }],
    ["a token deep down", { request: { headers: { authorization: "Bearer hunter2" } } }],
    ["an environment", { env: [{ name: "a", REDIS_PASSWORD: "hunter2" }] }],
    ["a Secret's data", { object: { kind: "Secret", data: { anything: "hunter2" } } }],
    ["a Secret's plain data", { object: { kind: "Secret", stringData: { x: "hunter2" } } }],
    ["a key of a derived logger", { clientKey: "hunter2" }],
    ["an object that is too deep to look at", { a: { b: { c: { d: { e: { f: "hunter2" } } } } } }],
  ])("never writes %s", (_what, fields) => {
    const { logger, lines } = capture("debug");
    logger.debug("Test", fields);
    logger.with(fields).error("Test");
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain("hunter2");
  });

  it("still tells the names of secrets", () => {
    const { logger, lines } = capture();
    logger.info("Created", {
      secretName: "cache-auth",
      tokenFile: "/run/token",
      object: { kind: "Secret", metadata: { name: "x" } },
    });
    expect(lines[0]).toMatchObject({
      secretName: "cache-auth",
      tokenFile: "/run/token",
      object: { metadata: { name: "x" } },
    });
  });
});
