import type { ProcessUsage } from "./process-usage.ts";

/** Judges from outside whether a part of the cluster does its work. */
export interface PartHealth {
  /** It said that its event loop turns. */
  beat(): void;
  /** It said how far its start has come. */
  progress(): void;
  /** It said that it can be used. */
  ready(): void;
  /** To be called about every second; says why the part is to be ended, if it is. */
  look(now: number, usage: ProcessUsage | undefined): string | undefined;
}

/** How long a part that can be used may say nothing. Only time in which it could have counts. */
const longestSilence = 30_000;

/** How long a start may stand still. One that goes on may take as long as it takes. */
const longestStandstill = 60_000;

/** Less than this part of a CPU is what a process uses that only waits. */
const waiting = 0.05;

/** No look adds more: who was stopped together with its parts, or was slow itself, has not watched in between. */
const longestLook = 2000;

/**
 * Health that a busy machine does not change: the time in which a part wanted to run and got no CPU, or waited for a
 * disk, does not count against it.
 */
export function createPartHealth(now: number): PartHealth {
  let last: { readonly now: number; readonly usage: ProcessUsage | undefined } = { now, usage: undefined };
  let isReady = false;
  let silentMs = 0;
  let stillMs = 0;
  let busyMs = 0;
  return {
    beat: () => {
      silentMs = 0;
      busyMs = 0;
    },
    progress: () => {
      stillMs = 0;
    },
    ready: () => {
      isReady = true;
      silentMs = 0;
      busyMs = 0;
    },
    look(moment, usage) {
      const elapsed = Math.min(moment - last.now, longestLook);
      const before = last.usage;
      last = { now: moment, usage };
      if (usage === undefined || before === undefined) return undefined;
      const usedMs = usage.cpuMs - before.cpuMs;
      const ownMs = usage.state === "D" ? 0 : Math.max(0, elapsed - (usage.waitedMs - before.waitedMs));
      silentMs += ownMs;
      busyMs += usedMs;
      stillMs = usedMs > elapsed * waiting ? 0 : stillMs + ownMs;
      if (!isReady) return stillMs < longestStandstill ? undefined : standstill;
      if (silentMs < longestSilence) return undefined;
      return `did not answer for ${seconds(silentMs)}${usage.state === "T" ? ", stopped by a signal," : busy(busyMs)}`;
    },
  };
}

const standstill = `made no progress for ${seconds(longestStandstill)}`;

function busy(ms: number): string {
  return ms < 1000 ? "" : `, busy for ${seconds(ms)} of CPU time,`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
