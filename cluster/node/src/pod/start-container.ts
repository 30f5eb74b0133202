import { messageOf } from "@kedge/machinery";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { ConfigError } from "../containers/config-error.ts";
import type { ResolvedImage } from "../images/types.ts";
import type { ContainerSpec } from "../runtime/types.ts";
import { releaseSubPaths } from "./container-mounts.ts";
import type { Run } from "./container-run.ts";
import { containerSpecOf } from "./container-spec.ts";
import type { PodContext } from "./context.ts";
import { runHook } from "./hooks.ts";
import { holdImage } from "./hold-image.ts";
import type { PodEvents } from "./pod-events.ts";
import { StartError } from "./start-error.ts";

/** Longer than this making or starting a container never takes. */
const runtimeTimeoutMs = 120_000;

/**
 * Brings a container up: image, configuration, container, start, postStart. `onCreated` is told the id as soon as
 * there is one. Throws a `StartError` whose reason the status shows.
 */
export async function startContainer(
  context: PodContext,
  events: PodEvents,
  run: Run & { readonly onCreated: (id: string) => void },
  signal: AbortSignal,
): Promise<void> {
  const { container } = run;
  const id = context.random.uuid().replaceAll("-", "");
  const image = await holdImage(context, events, { ...run, id }, signal);
  const spec = await makeContainer(context, { ...run, id }, image, signal);
  events.normal("Created", "Container created", container.name);
  signal.throwIfAborted();
  await within(context, context.runtime.start(spec.id)).catch(async (error: unknown): Promise<never> => {
    await context.runtime.remove(spec.id);
    await context.images.release(spec.id);
    throw failed("RunContainerError", error);
  });
  events.normal("Started", "Container started", container.name);
  const { postStart } = container.lifecycle ?? {};
  if (postStart === undefined) return;
  const target = { instanceId: spec.id, container, podAddress: run.sandbox.podAddress, signal };
  try {
    await runHook(context, postStart, target);
  } catch (error) {
    signal.throwIfAborted();
    events.warning("FailedPostStartHook", "PostStartHook failed", container.name);
    await context.runtime.signal(spec.id, "SIGKILL");
    throw failed("PostStartHookError", error);
  }
}

async function makeContainer(
  context: PodContext,
  run: Run & { readonly id: string; readonly onCreated: (id: string) => void },
  image: ResolvedImage,
  signal: AbortSignal,
): Promise<ContainerSpec> {
  try {
    const spec = await containerSpecOf(context, run, image, signal).catch((error: unknown): never => {
      if (error instanceof ConfigError) throw failed(error.reason, error);
      throw failed("CreateContainerConfigError", error);
    });
    signal.throwIfAborted();
    run.onCreated(spec.id);
    await create(context, spec.logPath, () => context.runtime.create(spec));
    return spec;
  } catch (error) {
    await context.images.release(run.id);
    throw error;
  } finally {
    await releaseSubPaths(context, run.pod.metadata.uid, run.id);
  }
}

async function create(context: PodContext, logPath: string, make: () => Promise<void>): Promise<void> {
  try {
    await context.clock.track(mkdir(dirname(logPath), { recursive: true }));
    await within(context, make());
  } catch (error) {
    throw failed("CreateContainerError", error);
  }
}

async function within(context: PodContext, work: Promise<void>): Promise<void> {
  using deadline = context.clock.deadline(runtimeTimeoutMs);
  const late = Promise.withResolvers<never>();
  deadline.signal.addEventListener(
    "abort",
    () => late.reject(new Error("the container runtime does not answer")),
    {
      once: true,
    },
  );
  await Promise.race([work, late.promise]);
}

function failed(reason: string, error: unknown): StartError {
  return new StartError(reason, messageOf(error), error);
}
