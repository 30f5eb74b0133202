import type { Durability } from "../../config/durability.ts";
import type { ReplicationStatus } from "../../kind.ts";
import type { ServerView } from "../../server-view.ts";
import type { DataRole } from "../../users.ts";

/** Where a server is, and as whom it listens to the operator now. */
export interface ServerTarget {
  readonly pod: string;
  readonly host: string;
  /** The user that may command it. */
  readonly as: string;
}

/** Admission of a server to an epoch, in a role. */
export interface Admission {
  readonly type: "admit";
  readonly server: ServerTarget;
  readonly users: readonly string[];
  readonly epoch: number;
  readonly role: DataRole;
  /** Whom a replica follows: a host's name. */
  readonly follow: string;
  /** It took writes until now: its clients must come to the primary. */
  readonly cutClients: boolean;
  /** It is in the middle of Redis' own FAILOVER, which leads nowhere any more. */
  readonly abortsFailover: boolean;
  /** A primary that cannot be admitted ends the run; a replica that cannot is seen to next time. */
  readonly isNeeded: boolean;
}

/** A primary that does not answer, as it was seen. */
export interface LostPrimary {
  readonly pod: string;
  /** Undefined: there was no pod. */
  readonly uid: string | undefined;
  /** When it was last found to hang, by the clock's monotonic time. */
  readonly missedAt?: number | undefined;
}

/** A planned change of the primary. */
export interface HandOver {
  readonly server: ServerTarget;
  readonly to: ServerTarget;
  /** In which it is made: who finds another one was overtaken. */
  readonly epoch: number;
  /** By annotation: it was asked for once, and is not tried again by itself. */
  readonly wish: string | undefined;
}

/** What is done about replication. */
export type ReplicationAction =
  | {
      readonly type: "take epoch";
      readonly before: Pick<ReplicationStatus, "epoch" | "primary"> | undefined;
      readonly next: Omit<ReplicationStatus, "since">;
      /** Who must still be lost when it is taken. */
      readonly lost?: LostPrimary | undefined;
    }
  | Admission
  /** The data of a replica is that of the epoch: it is in sync. */
  | {
      readonly type: "record data";
      readonly server: ServerTarget;
      readonly users: readonly string[];
      readonly epoch: number;
    }
  /** How many replicas must be there for a write: set in a running server. */
  | { readonly type: "guard writes"; readonly server: ServerTarget; readonly replicas: number }
  /** A server that does not know the system's users: of an earlier version, or their Secret was lost. */
  | { readonly type: "adopt server"; readonly pod: string; readonly host: string }
  /** Before a copy of the data goes: it is the same epoch, and others have the data now. */
  | {
      readonly type: "check copies";
      readonly epoch: number;
      readonly primary: ServerTarget;
      readonly replicas: readonly ServerTarget[];
    }
  /** Whether a hand-over can come about at all, before anything is changed for it. */
  | ({ readonly type: "check hand over" } & HandOver)
  /** Redis' own FAILOVER, while writes are held back and the successor has all of them. */
  | ({ readonly type: "hand over" } & HandOver)
  /** A pod that is to be replaced: it ends in its own time. */
  | { readonly type: "stop pod"; readonly pod: string; readonly uid: string }
  /** Stops a primary that hangs, where its node can, before another one opens. */
  | {
      readonly type: "fence";
      readonly pod: string;
      readonly uid: string;
      readonly host: string | undefined;
      /** It may only stand still for a moment: it is asked before its pod is deleted. */
      readonly asksFirst: boolean;
    }
  | { readonly type: "label pod"; readonly pod: string; readonly uid: string; readonly role: DataRole }
  /** What it asked for is done. */
  | { readonly type: "clear annotation"; readonly annotation: string; readonly value: string };

/** What there is to decide on. */
export interface ReplicationFacts {
  readonly instance: { readonly namespace: string; readonly name: string };
  /** How many pods there are to be. */
  readonly wanted: number;
  /** There can be no data yet. */
  readonly isNew: boolean;
  readonly status: ReplicationStatus | undefined;
  readonly servers: readonly ServerView[];
  readonly durability: Durability;
  /** Nobody but the operator says how many replicas must be there for a write. */
  readonly isGuardOurs: boolean;
  /** The template that pods are to have; undefined when that is not known. */
  readonly revision: string | undefined;
  /** By annotation: a pod, or `any`. */
  readonly switchover: string | undefined;
  /** By annotation: a pod. */
  readonly promote: string | undefined;
  /** Another volume is to take the place of the primary's, and of no other. */
  readonly givesVolumeUp: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What is to be done about replication, and what is to be said about it. */
export interface ReplicationPlan {
  /** Whom the Service leads to. */
  readonly primary: string;
  /** Before the Service is moved. */
  readonly first: readonly ReplicationAction[];
  /** After that. */
  readonly after: readonly ReplicationAction[];
  /** Milliseconds after which to look again. */
  readonly again: number | undefined;
  /** Why there is no primary, or why a wish cannot be carried out. */
  readonly trouble: ReplicationTrouble | undefined;
}

/** Something that needs somebody, or time. */
export interface ReplicationTrouble {
  readonly reason: "NoPrimary" | "PrimaryHeld" | "SwitchoverWaits" | "SwitchoverGivenUp" | "PrimarySuspected";
  readonly message: string;
}
