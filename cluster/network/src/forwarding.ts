import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "@kedge/machinery";

const forwarding = "/proc/sys/net/ipv4/ip_forward";

/** The machine's, as the setting is: all clusters on it share both. Neither survives a restart of the machine. */
const noted = "/run/kedge/ip-forward-before";

/** Pods reach each other and the world only through a machine that forwards. What it was before is written down. */
export async function allowForwarding(clock: Clock): Promise<void> {
  const before = (await clock.track(readFile(forwarding, "utf8"))).trim();
  if (before === "1") return;
  await clock.track(mkdir(dirname(noted), { recursive: true }));
  await clock.track(writeFile(noted, before));
  await clock.track(writeFile(forwarding, "1"));
}

/** As it was before the first cluster. For the last one that leaves. */
export async function restoreForwarding(clock: Clock): Promise<void> {
  const before = await clock.track(readFile(noted, "utf8")).catch(() => undefined);
  if (before === undefined) return;
  await clock.track(writeFile(forwarding, before));
  await clock.track(rm(dirname(noted), { recursive: true, force: true }));
}
