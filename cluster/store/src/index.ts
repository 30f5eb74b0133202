export { parseEtcdUrl, type EtcdPlace } from "./etcd/etcd-url.ts";
export { openEtcdStore, type EtcdOptions } from "./etcd/etcd-store.ts";
export { openLmdbStore, type LmdbOptions, type OpenProgress } from "./lmdb/lmdb-store.ts";
export { createMemoryStore } from "./memory/memory-store.ts";
export { restoreSnapshot, type RestoreOptions } from "./snapshot/restore-snapshot.ts";
export { readSnapshot, snapshotOf, type SnapshotSummary } from "./snapshot/snapshot-file.ts";
export { StoreError, type StoreErrorCode } from "./store-error.ts";
export type {
  Comparison,
  ForkOptions,
  KeyValue,
  Lease,
  RangeOptions,
  RangeResult,
  ReadOptions,
  Span,
  Store,
  StoreEvent,
  Transaction,
  TransactionResult,
  Watch,
  WatchBatch,
  WatchOptions,
  Write,
} from "./types.ts";
