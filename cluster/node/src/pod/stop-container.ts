import { containerOf } from "../model/spec-of.ts";
import type { PodContext } from "./context.ts";
import { isSignalName } from "../runtime/signal-name.ts";
import { runHook, type RunHook } from "./hooks.ts";
import type { PodEvents } from "./pod-events.ts";
import type { ApiPod, Instance } from "../model/types.ts";

/** A container that is being stopped. */
export interface Stopping {
  /** Resolves when it has ended. */
  readonly done: Promise<void>;
  /** Leaves it less time, counted from now; does nothing when it has less already. */
  hurry(graceSeconds: number): void;
}

/** What is stopped, and why. */
export interface StopRequest {
  readonly pod: ApiPod;
  readonly instance: Instance;
  readonly graceSeconds: number;
  readonly message: string;
  readonly podAddress: string;
  /** The agent ends: the container is left as it is. */
  readonly signal: AbortSignal;
}

/** Even who has no time left gets a moment to end by itself. */
const leastGraceMs = 2_000;
/** Longer than this no process survives SIGKILL; if it does, it is tried again. */
const killWaitMs = 10_000;

type StopContext = Pick<PodContext, "clock" | "runtime" | "logger"> & {
  /** Default: really runs it. */
  readonly runHook?: RunHook;
};

/** Stops a container: preStop, then its stop signal, then, when its time is over, SIGKILL. */
export function stopContainer(context: StopContext, events: PodEvents, request: StopRequest): Stopping {
  const { clock } = context;
  let deadline = clock.monotonic() + request.graceSeconds * 1000;
  let interrupt = new AbortController();
  const hurry = (graceSeconds: number): void => {
    const sooner = clock.monotonic() + graceSeconds * 1000;
    if (sooner >= deadline) return;
    deadline = sooner;
    interrupt.abort();
    interrupt = new AbortController();
  };
  /** Waits for something for as long as there is time; gives whether it happened. */
  const withinGrace = async (
    work: (signal: AbortSignal) => Promise<void>,
    leastMs: number,
  ): Promise<boolean> => {
    const least = clock.monotonic() + leastMs;
    const first = new AbortController();
    const pending = work(AbortSignal.any([first.signal, request.signal])).then(() => true);
    try {
      for (;;) {
        const leftMs = Math.max(deadline, least) - clock.monotonic();
        if (leftMs <= 0) return false;
        const wait = AbortSignal.any([interrupt.signal, request.signal]);
        using timer = clock.deadline(leftMs, wait);
        const outcome = await Promise.race([pending, abortOf(timer.signal)]);
        request.signal.throwIfAborted();
        if (outcome) return true;
      }
    } finally {
      first.abort();
      pending.catch(() => undefined); // Who gave up does not want to know.
    }
  };
  const done = stop(context, events, request, withinGrace);
  return { done, hurry };
}

type WithinGrace = (work: (signal: AbortSignal) => Promise<void>, leastMs: number) => Promise<boolean>;

async function stop(
  context: StopContext,
  events: PodEvents,
  request: StopRequest,
  withinGrace: WithinGrace,
): Promise<void> {
  const { runtime, clock, runHook: run = runHook } = context;
  const { pod, instance, graceSeconds, podAddress, signal } = request;
  const container = containerOf(pod, instance.name);
  events.normal("Killing", request.message, instance.name);
  const { preStop, stopSignal = signalOf(instance.stopSignal) } = container?.lifecycle ?? {};
  if (preStop !== undefined && container !== undefined && graceSeconds > 0) {
    const target = { instanceId: instance.id, container, podAddress };
    try {
      await withinGrace((hookSignal) => run(context, preStop, { ...target, signal: hookSignal }), 0);
    } catch (error) {
      signal.throwIfAborted();
      events.warning("FailedPreStopHook", "PreStopHook failed", instance.name);
      context.logger.info("A preStop hook failed", { container: instance.name, error });
    }
  }
  await runtime.signal(instance.id, stopSignal);
  if (await withinGrace((waitSignal) => untilEnded(context, instance.id, waitSignal), leastGraceMs)) return;
  await runtime.signal(instance.id, "SIGKILL");
  using deadline = clock.deadline(killWaitMs, signal);
  await untilEnded(context, instance.id, deadline.signal);
}

/** An image may say anything: what is no signal is none. */
function signalOf(text: string | undefined): string {
  return text !== undefined && isSignalName(text) ? text : "SIGTERM";
}

/** Resolves when a container does not run any more. */
async function untilEnded({ runtime, clock }: StopContext, id: string, signal: AbortSignal): Promise<void> {
  const ended = Promise.withResolvers<boolean>();
  const stopListening = runtime.onExit((info) => {
    if (info.id === id) ended.resolve(true);
  });
  try {
    for (;;) {
      const info = await runtime.inspect(id);
      if (info === undefined || info.state === "exited") return;
      // Listening is enough; looking now and then costs nothing and forgives a lost notice.
      using pause = clock.deadline(lookAgainMs, signal);
      if (await Promise.race([ended.promise, abortOf(pause.signal)])) return;
      signal.throwIfAborted();
    }
  } finally {
    stopListening();
  }
}

const lookAgainMs = 1_000;

/** Resolves to false when the signal aborts. */
async function abortOf(signal: AbortSignal): Promise<false> {
  const { promise, resolve } = Promise.withResolvers<false>();
  if (signal.aborted) return false;
  signal.addEventListener("abort", () => resolve(false), { once: true });
  return await promise;
}
