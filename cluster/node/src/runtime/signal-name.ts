import { constants } from "node:os";
import { ContainerError } from "./container-error.ts";

/** A signal by its name, with or without `SIG` before it, as images and pods may write it. */
export function signalNamed(name: string): NodeJS.Signals {
  const full = name.startsWith("SIG") ? name : `SIG${name}`;
  if (isSignal(full)) return full;
  throw new ContainerError("INVALID", `"${name}" is not a signal: use a name such as SIGTERM`);
}

function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(constants.signals, name);
}
