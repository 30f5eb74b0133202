import type { DeepReadonly, Uid } from "@kedge/machinery";
import type { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { Plan } from "@kedge/runtime";
import type { CredentialAction } from "./credentials.ts";
import type { ReplicationAction } from "./replication/types.ts";
import type { RollBack } from "./roll-back.ts";
import type { SetConfig } from "./live-config.ts";
import type { ClaimResize } from "./storage.ts";
import type { Written } from "./upgrade.ts";

/** What this operator does itself, beside applying and deleting children. */
export type Action =
  | ReplicationAction
  | SetConfig
  | CredentialAction
  | RollBack
  | {
      readonly type: "create password" | "adopt password" | "restore password" | "write binding";
    }
  | { readonly type: "stop pods"; readonly name: string; readonly uid: Uid }
  | { readonly type: "label claim"; readonly claim: DeepReadonly<PersistentVolumeClaim> }
  | ({ readonly type: "resize claim" } & ClaimResize)
  | ({ readonly type: "record image" } & Written);

/** What a run does about an instance. */
export type InstancePlan = Plan<Action>;
