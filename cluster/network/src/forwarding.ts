import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "@kedge/machinery";
import type { NetworkCommands } from "./commands.ts";
import { interfaceNames } from "./interfaces.ts";
import { anyVethPrefix, isBridge } from "./names.ts";

const forwarding = "/proc/sys/net/ipv4/ip_forward";

/** The machine's, as the setting is: all clusters on it share both. Neither survives a restart of the machine. */
const noted = "/run/kedge/ip-forward-before";
const table = "kedge-forwarding";

interface Machine {
  readonly commands: NetworkCommands;
  readonly clock: Clock;
}

/**
 * Pods reach each other and the world only through a machine that forwards. What it was before is written down. A machine
 * that did not forward does so for pods only: not between the networks that it was on already.
 */
export async function allowForwarding({ commands, clock }: Machine): Promise<void> {
  const before = (await clock.track(readFile(forwarding, "utf8"))).trim();
  if (before === "1") return;
  await clock.track(mkdir(dirname(noted), { recursive: true }));
  await clock.track(writeFile(noted, before));
  const interfaces = await interfaceNames(clock);
  await commands.nft(closedBetween(interfaces.filter((name) => !isOurs(name))));
  await clock.track(writeFile(forwarding, "1"));
}

/** In a network namespace of our own: nobody else asks for it, and it goes with the namespace. */
export async function forwardHere(clock: Clock): Promise<void> {
  await clock.track(writeFile(forwarding, "1"));
}

/** As it was before the first cluster. For the last one that leaves. */
export async function restoreForwarding({ commands, clock }: Machine): Promise<void> {
  const before = await clock.track(readFile(noted, "utf8")).catch(() => undefined);
  if (before === undefined) return;
  await clock.track(writeFile(forwarding, before));
  await commands.nft(`add table ip ${table}\ndelete table ip ${table}\n`);
  await clock.track(rm(dirname(noted), { recursive: true, force: true }));
}

/** Interfaces that come later belong to somebody who knows that the machine forwards: other programs do so, too. */
function closedBetween(interfaces: readonly string[]): string {
  const names = interfaces.map((name) => JSON.stringify(name)).join(", ");
  return [
    `add table ip ${table}`,
    `delete table ip ${table}`,
    `table ip ${table} {`,
    "  chain forward {",
    "    type filter hook forward priority filter; policy accept;",
    ...(names === "" ? [] : [`    iifname { ${names} } oifname { ${names} } drop`]),
    "  }",
    "}",
    "",
  ].join("\n");
}

function isOurs(name: string): boolean {
  return name === "lo" || isBridge(name) || name.startsWith(anyVethPrefix);
}
