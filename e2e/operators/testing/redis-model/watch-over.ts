import type { Client } from "@kedge/client";
import type { Clock } from "@kedge/machinery";
import type { ModelProcess } from "./model-process.ts";
import { hostOf, readPeers, recordIn, type PodNames } from "./start-server.ts";

/** What stands beside a held server. */
export interface WatchOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly names: PodNames;
  /** A peer by its ordinal, as the pod sees it. */
  readonly find: (ordinal: number) => ModelProcess | undefined;
}

const pauseMs = 200;
/** How often it looks before it decides without an operator. */
const patience = 10;

/** What the start script runs beside a held server: admits it when no operator does, and it is sure. */
export async function watchOver(
  process: ModelProcess,
  { client, clock, names, find }: WatchOptions,
): Promise<void> {
  for (let spent = 1; ; spent++) {
    await clock.sleep(pauseMs);
    if (!process.isAlive || !process.users.has("kedge-start") || process.isPrimary) return;
    if (process.isLoading || process.isPaused) continue;
    const { replicas } = await readPeers(client, names);
    const own = recordIn(process.users.keys());
    const peers = Array.from({ length: replicas }, (_, ordinal) => ordinal)
      .filter((ordinal) => ordinal !== names.ordinal)
      .map((ordinal) => ({ ordinal, peer: find(ordinal) }));
    let [newest, best] = [own.epoch, undefined as number | undefined];
    for (const { ordinal, peer } of peers) {
      if (peer === undefined || peer.isLoading) continue;
      const { epoch, role, roleEpoch } = recordIn(peer.users.keys());
      if (epoch > newest) [newest, best] = [epoch, undefined];
      if (peer.isPrimary && role === "primary" && roleEpoch >= newest) best = ordinal;
    }
    if (best !== undefined) {
      process.follow(hostOf(names, best));
      return;
    }
    if (spent < patience || newest > own.epoch) continue;
    const found = peers.filter(({ peer }) => peer !== undefined && peer.data.size > 0);
    const isSilent = peers.some(({ peer }) => peer === undefined || peer.isLoading);
    const isNewer = found.some(
      ({ peer }) => peer?.history.id !== process.history.id || peer.history.offset > process.history.offset,
    );
    const wasPrimary = own.role === "primary" && own.roleEpoch === own.epoch;
    const isOnlyOne = process.data.size === 0 && names.ordinal === 0 && found.length === 0 && !isSilent;
    if (!(wasPrimary ? process.hasLog || !isNewer : isOnlyOne)) continue;
    process.users.set(`kedge-primary-${Math.max(1, own.roleEpoch)}`, { isOn: false, hashes: [] });
    process.promote();
    process.options.disk.users = new Map(process.users);
    return;
  }
}
