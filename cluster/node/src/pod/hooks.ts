import type { DeepReadonly } from "@kedge/machinery";
import type { LifecycleHandler } from "@kedge/machinery/kinds/core/v1";
import { runInContainer } from "../containers/run-in-container.ts";
import { httpAnswer } from "../probes/http-probe.ts";
import type { PodContext } from "./context.ts";
import type { ContainerDefinition } from "../model/types.ts";

/** Where a hook runs. */
export interface HookTarget {
  readonly instanceId: string;
  readonly container: ContainerDefinition;
  readonly podAddress: string;
  readonly signal: AbortSignal;
}

/** Runs a container's postStart or preStop. Throws a text when it failed. */
export type RunHook = typeof runHook;

/** The hooks of real containers. */
export async function runHook(
  { clock, runtime }: Pick<PodContext, "clock" | "runtime">,
  handler: DeepReadonly<LifecycleHandler>,
  target: HookTarget,
): Promise<void> {
  const { instanceId, container, podAddress, signal } = target;
  if (handler.exec !== undefined) {
    const { exitCode } = await runInContainer(
      { clock, runtime, signal },
      instanceId,
      handler.exec.command ?? [],
    );
    if (exitCode !== 0) throw new Error(`command ended with ${exitCode}`);
  } else if (handler.httpGet !== undefined) {
    const asker = { podAddress, signal, userAgent: "kube-lifecycle/1.36" };
    const answer = await clock.track(httpAnswer(handler.httpGet, container, asker));
    // Whatever it says: that somebody has heard of it is enough.
    if (typeof answer === "string") throw new Error(answer);
  } else if (handler.sleep !== undefined) {
    await clock.sleep(handler.sleep.seconds * 1000, signal);
  } else {
    throw new Error("this node knows exec, httpGet and sleep hooks only");
  }
}
