import { quantityIsZero } from "../values/quantity.ts";
import { addAmounts, maxAmounts, parseAmounts, type Amounts, type WrittenAmounts } from "./amounts.ts";

interface Resources {
  readonly requests?: WrittenAmounts | undefined;
  readonly limits?: WrittenAmounts | undefined;
}

interface Container {
  readonly name?: string | undefined;
  readonly restartPolicy?: string | undefined;
  readonly resources?: Resources | undefined;
}

interface ContainerStatus {
  readonly name?: string | undefined;
  readonly resources?: Resources | undefined;
  readonly allocatedResources?: WrittenAmounts | undefined;
}

interface AffinityTerm {
  readonly namespaces?: readonly string[] | undefined;
  readonly namespaceSelector?: object | undefined;
}

interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly AffinityTerm[] | undefined;
  readonly preferredDuringSchedulingIgnoredDuringExecution?:
    | readonly { readonly podAffinityTerm?: AffinityTerm | undefined }[]
    | undefined;
}

/** What counting needs of a pod. */
export interface CountedPod {
  readonly metadata?:
    | {
        readonly deletionTimestamp?: string | null | undefined;
        readonly deletionGracePeriodSeconds?: number | undefined;
      }
    | undefined;
  readonly spec?:
    | {
        readonly activeDeadlineSeconds?: number | undefined;
        readonly priorityClassName?: string | undefined;
        readonly containers?: readonly Container[] | undefined;
        readonly initContainers?: readonly Container[] | undefined;
        readonly overhead?: WrittenAmounts | undefined;
        readonly resources?: Resources | undefined;
        readonly affinity?:
          | {
              readonly podAffinity?: PodAffinity | undefined;
              readonly podAntiAffinity?: PodAffinity | undefined;
            }
          | undefined;
      }
    | undefined;
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly conditions?:
          | readonly { readonly type?: string | undefined; readonly reason?: string | undefined }[]
          | undefined;
        readonly containerStatuses?: readonly ContainerStatus[] | undefined;
        readonly initContainerStatuses?: readonly ContainerStatus[] | undefined;
      }
    | undefined;
}

/**
 * What a pod asks for or is held to, all its containers together: the most of those that run side by side and those that
 * run before them; of a container that is being resized the larger of what it has and what it is to have.
 */
export function podAmounts(pod: CountedPod, part: "requests" | "limits"): Amounts {
  const { containers = [], initContainers = [], resources, overhead } = pod.spec ?? {};
  let running: Amounts = new Map();
  let sidecars: Amounts = new Map();
  let most: Amounts = new Map();
  for (const container of containers) running = addAmounts(running, amountsOf(pod, container, part));
  for (const container of initContainers) {
    const isSidecar = container.restartPolicy === "Always";
    const own = isSidecar ? amountsOf(pod, container, part) : parseAmounts(container.resources?.[part]);
    const together = addAmounts(sidecars, own);
    if (isSidecar) {
      running = addAmounts(running, own);
      sidecars = together;
    }
    most = maxAmounts(most, together);
  }
  const total = new Map(maxAmounts(running, most));
  for (const [name, amount] of parseAmounts(resources?.[part])) if (isOfPods(name)) total.set(name, amount);
  return withOverhead(total, parseAmounts(overhead), part);
}

/** Whether a pod says itself what its containers may use together. */
export function hasOwnResources({ spec }: CountedPod): boolean {
  const { requests, limits } = spec?.resources ?? {};
  return [...Object.keys(requests ?? {}), ...Object.keys(limits ?? {})].some(isOfPods);
}

function isOfPods(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

function amountsOf(pod: CountedPod, { name, resources }: Container, part: "requests" | "limits"): Amounts {
  const wanted = parseAmounts(resources?.[part]);
  const { containerStatuses = [], initContainerStatuses = [], conditions = [] } = pod.status ?? {};
  const status = [...initContainerStatuses, ...containerStatuses].findLast((each) => each.name === name);
  if (status?.resources === undefined) return wanted;
  const given = parseAmounts(status.resources[part]);
  const has = part === "limits" ? given : maxAmounts(given, parseAmounts(status.allocatedResources));
  const pending = conditions.find(({ type }) => type === "PodResizePending");
  return pending?.reason === "Infeasible" ? has : maxAmounts(wanted, has);
}

/** What running a pod costs beside its containers: added to all requests, and to the limits that there are. */
function withOverhead(amounts: Amounts, overhead: Amounts, part: "requests" | "limits"): Amounts {
  if (part === "requests") return addAmounts(amounts, overhead);
  const applying = Array.from(overhead).filter(([name]) => {
    const limit = amounts.get(name);
    return limit !== undefined && !quantityIsZero(limit);
  });
  return addAmounts(amounts, new Map(applying));
}
