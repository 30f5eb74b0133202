import { constants } from "node:os";
import { ContainerError } from "./container-error.ts";

/** A signal by its name, with or without `SIG` before it, or by its number, as images and pods may write it. */
export function signalNamed(name: string): NodeJS.Signals {
  const signal = signalOf(name);
  if (signal !== undefined) return signal;
  throw new ContainerError("INVALID", `"${name}" is not a signal: use a name such as SIGTERM`);
}

/** Whether `signalNamed` knows it. */
export function isSignalName(name: string): boolean {
  return signalOf(name) !== undefined;
}

function signalOf(name: string): NodeJS.Signals | undefined {
  const numbered = Object.entries(constants.signals).find(([, number]) => String(number) === name)?.[0];
  const full = numbered ?? (name.startsWith("SIG") ? name : `SIG${name}`);
  return isSignal(full) ? full : undefined;
}

function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(constants.signals, name);
}
