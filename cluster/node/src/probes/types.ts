import type { DeepReadonly } from "@kedge/machinery";
import type { ExecAction, GRPCAction, HTTPGetAction, TCPSocketAction } from "@kedge/machinery/kinds/core/v1";
import type { ContainerDefinition } from "../model/types.ts";

/** What one try said. */
export interface ProbeResult {
  readonly outcome: "success" | "failure";
  /** For the event, when it failed. */
  readonly output: string;
}

/** What is asked: one of the four. */
export interface ProbeHandler {
  readonly exec?: DeepReadonly<ExecAction> | undefined;
  readonly httpGet?: DeepReadonly<HTTPGetAction> | undefined;
  readonly tcpSocket?: DeepReadonly<TCPSocketAction> | undefined;
  readonly grpc?: DeepReadonly<GRPCAction> | undefined;
}

/** Where it is asked. */
export interface ProbeTarget {
  readonly instanceId: string;
  readonly container: ContainerDefinition;
  readonly podAddress: string;
}

/** Asks containers how they are. Never throws: what cannot be asked has failed. */
export interface Prober {
  probe(handler: ProbeHandler, target: ProbeTarget, options: ProbeOptions): Promise<ProbeResult>;
}

/** What a probe is for. */
export type ProbeKind = "startup" | "readiness" | "liveness";

/** What it is for, how long to wait, and when to give up. */
export interface ProbeOptions {
  readonly kind: ProbeKind;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}
