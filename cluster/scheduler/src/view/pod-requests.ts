import type { DeepReadonly } from "@kedge/machinery";
import type { Container, ContainerStatus, Pod } from "@kedge/machinery/kinds/core/v1";
import {
  addTo,
  amountOf,
  copyOf,
  emptyResources,
  raiseTo,
  resourcesOf,
  setAmount,
  type MutableResources,
  type Resources,
} from "./resources.ts";

type AnyPod = DeepReadonly<Pod>;

/** What a pod takes of its node. */
export interface PodRequests {
  readonly requested: Resources;
  /** The same for comparing nodes: a container that asks for no cpu or memory will use some. */
  readonly scored: Resources;
}

/** What a container that asks for nothing is taken to use. */
const usualCpu = 100;
const usualMemory = 200 * 1024 * 1024;

/**
 * All containers together, or what the init containers need at some moment where that is more; what is said of the pod as
 * a whole instead, and its overhead. While a pod is resized, the largest of what it has and what it wants.
 */
export function podRequestsOf(pod: AnyPod): PodRequests {
  const statuses = statusesOf(pod);
  const asked = (container: DeepReadonly<Container>): Resources => effective(pod, container, statuses);
  return {
    requested: wholePod(pod, aggregate(pod, asked)),
    scored: wholePod(
      pod,
      aggregate(pod, (container) => withUsual(asked(container), container)),
    ),
  };
}

function aggregate(
  { spec }: AnyPod,
  of: (container: DeepReadonly<Container>) => Resources,
): MutableResources {
  const running = emptyResources();
  for (const container of spec.containers) addTo(running, of(container));
  if (spec.initContainers === undefined) return running;
  const sidecars = emptyResources();
  const starting = emptyResources();
  for (const container of spec.initContainers) {
    const needed = of(container);
    if (container.restartPolicy === "Always") {
      // It goes on beside all that come after it.
      addTo(sidecars, needed);
      raiseTo(starting, sidecars);
      continue;
    }
    const now = copyOf(sidecars);
    addTo(now, needed);
    raiseTo(starting, now);
  }
  addTo(running, sidecars);
  raiseTo(running, starting);
  return running;
}

/** What is asked for on the level of the pod counts instead of the sum of its containers. */
function wholePod({ spec, status }: AnyPod, sum: MutableResources): Resources {
  const { requests } = spec.resources ?? {};
  for (const [name, text] of Object.entries(requests ?? {})) {
    if (name !== "cpu" && name !== "memory" && !name.startsWith("hugepages-")) continue;
    const allocated = status?.allocatedResources?.[name];
    const amounts = [text, ...(allocated === undefined ? [] : [allocated])].map((each) =>
      amountOf(name, each),
    );
    setAmount(sum, name, Math.max(...amounts));
  }
  if (spec.overhead !== undefined) addTo(sum, resourcesOf(spec.overhead));
  return sum;
}

/** Asking for `0` is asking. */
function withUsual(asked: Resources, container: DeepReadonly<Container>): Resources {
  const requests = container.resources?.requests ?? {};
  if (requests["cpu"] !== undefined && requests["memory"] !== undefined) return asked;
  const scored = copyOf(asked);
  if (requests["cpu"] === undefined) scored.cpu = Math.max(scored.cpu, usualCpu);
  if (requests["memory"] === undefined) scored.memory = Math.max(scored.memory, usualMemory);
  return scored;
}

type Statuses = ReadonlyMap<string, DeepReadonly<ContainerStatus>>;

const noStatuses: Statuses = new Map();

/** The statuses that say what containers really have. */
function statusesOf({ status }: AnyPod): Statuses {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const telling = all.filter(({ resources }) => resources !== undefined);
  return telling.length === 0 ? noStatuses : new Map(telling.map((each) => [each.name, each]));
}

function effective(pod: AnyPod, container: DeepReadonly<Container>, statuses: Statuses): Resources {
  const wanted = resourcesOf(container.resources?.requests);
  const status = statuses.get(container.name);
  if (status === undefined) return wanted;
  const most = isInfeasible(pod) ? emptyResources() : copyOf(wanted);
  raiseTo(most, resourcesOf(status.resources?.requests));
  raiseTo(most, resourcesOf(status.allocatedResources));
  return most;
}

/** Whether the node has said that it will never give what a resize asks for. */
function isInfeasible({ status }: AnyPod): boolean {
  const pending = status?.conditions?.find(({ type }) => type === "PodResizePending");
  return pending?.reason === "Infeasible";
}
