import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { stopSignal } from "./stop-signal.ts";

it.each(["SIGINT", "SIGTERM"])("aborts at %s", (name) => {
  const process = new EventEmitter();
  const signal = stopSignal(process);
  expect(signal.aborted).toBe(false);
  process.emit(name);
  expect(signal.aborted).toBe(true);
});
