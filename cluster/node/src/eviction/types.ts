/** What is watched, by the kubelet's names. */
export type EvictionSignal =
  | "memory.available"
  | "nodefs.available"
  | "nodefs.inodesFree"
  | "imagefs.available"
  | "imagefs.inodesFree"
  | "pid.available";

/** What a node has of something, and how much of it is left: bytes, inodes or process numbers. */
export interface Supply {
  readonly available: number;
  readonly capacity: number;
}

/** All that could be seen at one moment. */
export type Supplies = Partial<Record<EvictionSignal, Supply>>;

/** The least that has to be left: a quantity (`100Mi`), or a part of the capacity (`10%`). */
export type Thresholds = Partial<Record<EvictionSignal, string>>;

/** The conditions of a node that is short of something. */
export type PressureCondition = "MemoryPressure" | "DiskPressure" | "PIDPressure";

/** What a pod uses of what the node may be short of. */
export interface PodUse {
  /** By container name, in bytes. */
  readonly memory: ReadonlyMap<string, number>;
  /** By container name: what it wrote beside its volumes, and its logs. */
  readonly disk: ReadonlyMap<string, number>;
  /** Of emptyDir volumes on disk, in bytes. */
  readonly volumes: number;
  readonly inodes: number;
  readonly processes: number;
}

/** How a node is kept from running out of what it has. */
export interface EvictionOptions {
  /** Default: those of the kubelet. */
  readonly thresholds?: Thresholds;
  /** Default: what the machine has. */
  readonly supplies?: () => Promise<Supplies>;
  /** How long a condition stays after its cause has gone. Default: 5 min. */
  readonly transitionMs?: number;
  /** How often it is looked at. Default: 10 s. */
  readonly everyMs?: number;
}
