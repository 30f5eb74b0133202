import type { DeepReadonly } from "@kedge/machinery";
import type {
  Container,
  ContainerStatus,
  EphemeralContainer,
  Pod,
  PodStatus,
} from "@kedge/machinery/kinds/core/v1";

/** A pod as the cache hands it out. */
export type ApiPod = DeepReadonly<Pod>;

/** A container as the pod's spec describes it. */
export type ContainerDefinition = DeepReadonly<Container>;

/** A container that was added to a running pod. */
export type EphemeralDefinition = DeepReadonly<EphemeralContainer>;

/** What the API server knows of a container so far. */
export type OldContainerStatus = DeepReadonly<ContainerStatus>;

/** What the API server knows of a pod's state so far. */
export type OldPodStatus = DeepReadonly<PodStatus>;

/** One run of a container of a pod, as the runtime knows it. Times are milliseconds since 1970. */
export interface Instance {
  readonly id: string;
  /** Name of the container in the pod's spec. */
  readonly name: string;
  /** 0 for the first run, one more for every other. */
  readonly attempt: number;
  readonly state: "created" | "running" | "exited";
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly exitCode: number | undefined;
  readonly oomKilled: boolean;
  /** As the pod named it, and the digest of what it was resolved to. */
  readonly image: string;
  readonly imageId: string;
  /** What it was started with. */
  readonly resources: ContainerDefinition["resources"];
  /** How its image wants to be stopped. */
  readonly stopSignal?: string | undefined;
  /** What it left behind at its end, see `terminationMessagePath`. */
  readonly message: string | undefined;
}

/** What the probes say of a running container. */
export interface Health {
  /** The startup probe has succeeded, or there is none. */
  readonly started: boolean;
  readonly ready: boolean;
  /** Why it must be killed: its liveness or startup probe has failed for good. */
  readonly failed: "liveness" | "startup" | undefined;
}

/** Why a container does not run yet, in the words of its status. */
export interface Waiting {
  readonly reason: string;
  readonly message: string;
}

/** A start that failed: it is tried again at `until`. Times are milliseconds since 1970. */
export interface StartFailure extends Waiting {
  readonly failedAt: number;
  readonly until: number;
  /** How often in a row. */
  readonly count: number;
}

/** How long a container that keeps ending has to wait before it is started again. */
export interface CrashBackoff {
  readonly delayMs: number;
  /** When it was last raised. */
  readonly raisedAt: number;
}

/** The sandbox: the pod's network namespace, folder and volumes. */
export type SandboxState =
  /** Nothing is there, or nobody knows yet what is: it is made again, or cleared. */
  | { readonly state: "unfinished"; readonly retryAt?: number | undefined }
  | { readonly state: "preparing" | "ready" | "clearing" }
  /** It was cleared. */
  | { readonly state: "absent" }
  /** Containers of an earlier life are there, but their network is not: they cannot go on. */
  | { readonly state: "lost" };

/** Why a pod comes to its end. */
export type Ending =
  /** It has a deletionTimestamp. */
  | { readonly why: "deleted"; readonly graceSeconds: number }
  /** The API server does not know it any more. */
  | { readonly why: "gone"; readonly graceSeconds: number }
  /** Its phase is Succeeded or Failed. */
  | { readonly why: "finished"; readonly graceSeconds: number };

/** What a node has and what pods beside one have of it: thousandths of processors, and bytes. */
export type NodeRoom = Readonly<
  Record<"cpu" | "memory", { readonly used: number; readonly capacity: number }>
>;

/** A running container, and how it is to be by now. */
export interface ContainerChange {
  readonly instance: Instance;
  readonly container: ContainerDefinition;
}

/** How far a wish for other resources has come, in the words of the pod's conditions. */
export type ResizeState =
  | { readonly type: "pending"; readonly reason: "Deferred" | "Infeasible"; readonly message: string }
  | { readonly type: "in-progress"; readonly error?: string };

/** What `planPod` looks at. Pure data. */
export interface ObservedPod {
  readonly pod: ApiPod;
  readonly now: number;
  readonly sandbox: SandboxState;
  readonly ending: Ending | undefined;
  /** All runs that the runtime knows of this pod. */
  readonly instances: readonly Instance[];
  /** The highest attempt that a log tells of, by container name: runs that the runtime has forgotten. */
  readonly lastAttempts: ReadonlyMap<string, number>;
  /** Containers that a task of ours is working on, by name. */
  readonly busy: ReadonlyMap<string, "starting" | "stopping">;
  /** By container name. */
  readonly failures: ReadonlyMap<string, StartFailure>;
  /** By container name. */
  readonly backoffs: ReadonlyMap<string, CrashBackoff>;
  /** By instance id. */
  readonly health: ReadonlyMap<string, Health>;
  /** Contents of volumes may have changed. */
  readonly refresh: boolean;
  /** When to look again for reasons of its own. Milliseconds since 1970. */
  readonly lookAt: number | undefined;
  /** What the node has left for it. Absent: enough. */
  readonly room?: NodeRoom | undefined;
  /** Why a container could not be given other resources, by its name. */
  readonly resizeErrors?: ReadonlyMap<string, string>;
}

/** What is to be done about a pod now. */
export type PodAction =
  | { readonly type: "prepare" }
  | { readonly type: "refresh" }
  | {
      readonly type: "start";
      readonly container: ContainerDefinition;
      readonly attempt: number;
      readonly backoff: CrashBackoff | undefined;
    }
  | { readonly type: "cancel-start"; readonly name: string }
  | {
      readonly type: "stop";
      readonly instance: Instance;
      readonly graceSeconds: number;
      readonly message: string;
    }
  | { readonly type: "remove"; readonly instance: Instance }
  /** Gives containers that run other limits. */
  | { readonly type: "resize"; readonly changes: readonly ContainerChange[] }
  | { readonly type: "clear" }
  /** Takes the object out of the API, after its last status was reported. */
  | { readonly type: "delete" }
  /** Nothing of it is left: forget it. */
  | { readonly type: "forget" };

/** What is to be done, what containers wait for, and when to look again. */
export interface PodPlan {
  readonly actions: readonly PodAction[];
  /** By container name; for the status. */
  readonly waiting: ReadonlyMap<string, Waiting>;
  /** Containers are to have other resources than they run with. */
  readonly resize?: ResizeState | undefined;
  /** Milliseconds since 1970. Undefined: only when something happens. */
  readonly wakeAt: number | undefined;
}
