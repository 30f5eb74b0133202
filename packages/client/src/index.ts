export { Client, connect, type ClientOf, type ClientOptions } from "./client.ts";
export type { ForwardOptions, SubresourceApi, SubresourcesOf } from "./api/subresources.ts";
export type {
  ApplyObject,
  ApplyOptions,
  CallOptions,
  DeepPartial,
  DeleteOptions,
  GetOptions,
  Listing,
  ListOptions,
  Named,
  ObservedWrite,
  PartClient,
  PartialObjectMetadata,
  Patch,
  ResourceClient,
  Selection,
  WatchEvent,
  WatchOptions,
  WriteObserver,
  WriteOptions,
} from "./api/types.ts";
export type { Warning } from "./api/warnings.ts";
export { ClientError, type ClientErrorCode } from "./client-error.ts";
export { loadInCluster } from "./config/in-cluster.ts";
export { loadKubeconfig, type KubeconfigOptions } from "./config/kubeconfig.ts";
export { loadConfig, type LoadConfigOptions } from "./config/load-config.ts";
export type {
  ClientCertificate,
  ClientConfig,
  Credentials,
  Identity,
  Impersonation,
  ServerTrust,
} from "./config/types.ts";
export { Discovery } from "./discovery/discovery.ts";
export type { DynamicObject, ServedApi, ServedGroupVersion, ServedKind } from "./discovery/types.ts";
export type { CommandInput, CommandOutput, CommandSession } from "./streams/command-session.ts";
export type { CommandExit } from "./streams/exit-status.ts";
export type { ExecResult, ExecToEndOptions } from "./streams/exec-to-end.ts";
export type { CommandStreams, ExecOptions } from "./streams/exec.ts";
export type { PortForwardListener } from "./streams/listen-port-forward.ts";
export type { LogOptions } from "./streams/logs.ts";
export type { PortForwardConnection } from "./streams/port-forward.ts";
export { inProcessTransport } from "./transport/in-process-transport.ts";
export { NetworkTransport, type NetworkTransportOptions } from "./transport/network-transport.ts";
export type { Transport } from "./transport/types.ts";
