import { startProbes, type ContainerProbes } from "../probes/container-probes.ts";
import type { PodContext } from "./context.ts";
import type { PodEvents } from "./pod-events.ts";
import { containersOf, initContainersOf, isSidecar, runsOf } from "../model/spec-of.ts";
import type { ApiPod, ContainerDefinition, Health, Instance } from "../model/types.ts";

/** The probes of a pod's containers: what runs is probed, and nothing else. */
export class PodProbes {
  readonly #context: Pick<PodContext, "clock" | "prober">;
  readonly #events: PodEvents;
  readonly #onChange: () => void;
  readonly #probes = new Map<string, ContainerProbes>();

  constructor(
    context: Pick<PodContext, "clock" | "prober">,
    options: { readonly events: PodEvents; readonly onChange: () => void },
  ) {
    this.#context = context;
    this.#events = options.events;
    this.#onChange = options.onChange;
  }

  /** What they say, by instance id. */
  get health(): ReadonlyMap<string, Health> {
    return new Map([...this.#probes].map(([id, { health }]) => [id, health]));
  }

  /** Begins to probe what runs, and ends what does not. */
  follow(pod: ApiPod, instances: readonly Instance[], podAddress: string | undefined): void {
    const running = new Set<string>();
    for (const container of [...initContainersOf(pod).filter(isSidecar), ...containersOf(pod)]) {
      const [latest] = runsOf(instances, container.name);
      if (latest?.state !== "running") continue;
      running.add(latest.id);
      if (!this.#probes.has(latest.id) && podAddress !== undefined) {
        this.#probes.set(latest.id, this.#start(pod, { container, instance: latest, podAddress }));
      }
    }
    for (const [id, probes] of this.#probes) {
      if (running.has(id)) continue;
      probes.stop();
      this.#probes.delete(id);
    }
  }

  /** A run is being stopped: it is asked only whether it is ready, for it may be all that a service has left. */
  quiet(id: string): void {
    this.#probes.get(id)?.quiet();
  }

  stop(): void {
    for (const probes of this.#probes.values()) probes.stop();
  }

  #start(
    pod: ApiPod,
    run: {
      readonly container: ContainerDefinition;
      readonly instance: Instance;
      readonly podAddress: string;
    },
  ): ContainerProbes {
    const { container, instance, podAddress } = run;
    const { clock, prober } = this.#context;
    // What an earlier agent has reported of this very run holds until we know better.
    const reported = [
      ...(pod.status?.initContainerStatuses ?? []),
      ...(pod.status?.containerStatuses ?? []),
    ].find(({ containerID }) => containerID?.endsWith(`//${instance.id}`) === true);
    return startProbes({
      clock,
      prober,
      target: { instanceId: instance.id, container, podAddress },
      startedAt: instance.startedAt ?? clock.now(),
      known:
        reported === undefined ? undefined : { started: reported.started === true, ready: reported.ready },
      onChange: this.#onChange,
      onUnhealthy: (message) => this.#events.warning("Unhealthy", message, container.name),
    });
  }
}
