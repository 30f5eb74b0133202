import type { Clock, DeepReadonly } from "@kedge/machinery";
import type { Probe } from "@kedge/machinery/kinds/core/v1";
import type { Health } from "../model/types.ts";
import { afterProbe, unprobed, type ProbeState } from "./probe-state.ts";
import type { ProbeKind, Prober, ProbeTarget } from "./types.ts";

/** A probe that failed: `Readiness probe failed: …`. */
export type OnUnhealthy = (message: string) => void;

/** What probes of one run of a container need. */
export interface ContainerProbesOptions {
  readonly clock: Clock;
  readonly prober: Prober;
  readonly target: ProbeTarget;
  /** When the container began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** What is known from before a restart of the agent. */
  readonly known?: { readonly started: boolean; readonly ready: boolean } | undefined;
  /** The container's health is another one now. */
  readonly onChange: () => void;
  readonly onUnhealthy: OnUnhealthy;
}

/** The probes of one run of a container, from its start to its end. */
export interface ContainerProbes {
  readonly health: Health;
  /** From now on only readiness is asked for. */
  quiet(): void;
  /** Nothing is asked any more; what was said last stays. */
  stop(): void;
}

const titles: Readonly<Record<ProbeKind, string>> = {
  startup: "Startup",
  readiness: "Readiness",
  liveness: "Liveness",
};

/** Until it is ready for the first time, a container is asked sooner than its period says, so that it is not late. */
const soonestRetryMs = 250;

/** The first liveness probe comes so much later than the first readiness probe; the kubelet's times vary by more. */
const readinessFirstMs = 1000;

type RepeatedProbe = DeepReadonly<Probe> & { readonly headStartMs?: number };

/** Begins to probe a running container. Without probes it is started and ready at once. */
export function startProbes(options: ContainerProbesOptions): ContainerProbes {
  const { target, known, onChange } = options;
  const { startupProbe, readinessProbe, livenessProbe } = target.container;
  const stopping = new AbortController();
  const quiet = new AbortController();
  const unlessQuiet = AbortSignal.any([stopping.signal, quiet.signal]);
  let health: Health = {
    started: startupProbe === undefined || known?.started === true,
    ready: readinessProbe === undefined || known?.ready === true,
    failed: undefined,
  };
  const set = (change: Partial<Health>): void => {
    health = { ...health, ...change };
    onChange();
  };
  const repeat = (kind: ProbeKind, spec: RepeatedProbe, onVerdict: (verdict: Verdict) => boolean): void => {
    const run = async (): Promise<void> => {
      const signal = kind === "readiness" ? stopping.signal : unlessQuiet;
      await probeLoop({ ...options, kind, spec, signal, onVerdict });
    };
    run().catch(() => undefined); // Only the end of it aborts it.
  };
  const begin = (): void => {
    if (readinessProbe !== undefined) {
      repeat("readiness", readinessProbe, (verdict) => {
        if (health.ready !== (verdict === "success")) set({ ready: verdict === "success" });
        return true;
      });
    }
    if (livenessProbe !== undefined) {
      // Somebody waits for the other one, and both are processes in the container.
      const headStartMs = readinessProbe === undefined ? 0 : readinessFirstMs;
      repeat("liveness", { ...livenessProbe, headStartMs }, (verdict) => {
        if (verdict === "success") return true;
        set({ failed: "liveness" });
        return false;
      });
    }
  };
  if (startupProbe === undefined || health.started) begin();
  else {
    repeat("startup", startupProbe, (verdict) => {
      set(verdict === "success" ? { started: true } : { failed: "startup" });
      if (verdict === "success") begin();
      return false;
    });
  }
  return {
    get health() {
      return health;
    },
    quiet: () => quiet.abort(),
    stop: () => stopping.abort(),
  };
}

type Verdict = "success" | "failure";

async function probeLoop(
  options: ContainerProbesOptions & {
    readonly kind: ProbeKind;
    readonly spec: RepeatedProbe;
    readonly signal: AbortSignal;
    /** Whether to go on. */
    readonly onVerdict: (verdict: Verdict) => boolean;
  },
): Promise<void> {
  const { clock, spec, kind, signal, startedAt } = options;
  const { initialDelaySeconds = 0, headStartMs = 0 } = spec;
  const delayMs = Math.max(initialDelaySeconds * 1000, headStartMs) - (clock.now() - startedAt);
  if (delayMs > 0) await clock.sleep(delayMs, signal);
  const periodMs = (spec.periodSeconds ?? 10) * 1000;
  let state: ProbeState = unprobed;
  let toldAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const result = await options.prober.probe(spec, options.target, {
      kind,
      timeoutMs: (spec.timeoutSeconds ?? 1) * 1000,
      signal,
    });
    signal.throwIfAborted();
    state = afterProbe(state, result.outcome, {
      failureThreshold: spec.failureThreshold ?? 3,
      successThreshold: spec.successThreshold ?? 1,
    });
    if (result.outcome === "failure" && clock.now() - toldAt >= periodMs) {
      toldAt = clock.now();
      options.onUnhealthy(`${titles[kind]} probe failed: ${result.output}`);
    }
    if (state.verdict !== undefined && !options.onVerdict(state.verdict)) return;
    const isEarly = kind === "readiness" && state.verdict !== "success";
    const soonMs = Math.max(soonestRetryMs, (clock.now() - startedAt) / 2);
    await clock.sleep(isEarly ? Math.min(periodMs, soonMs) : periodMs, signal);
  }
}
