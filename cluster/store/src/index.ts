export { openLmdbStore, type LmdbOptions, type OpenProgress } from "./lmdb/lmdb-store.ts";
export { createMemoryStore } from "./memory/memory-store.ts";
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
