import { access, readdir } from "node:fs/promises";
import type { Clock } from "@kedge/machinery";

/** As this process' network namespace has them. `/sys/class/net` shows those of the namespace that it was mounted in. */
const folder = "/proc/sys/net/ipv4/conf";

/** The names of the network interfaces. */
export async function interfaceNames(clock: Clock): Promise<readonly string[]> {
  const names = await clock.track(readdir(folder));
  return names.filter((name) => name !== "all" && name !== "default");
}

/** Whether there is such an interface. */
export async function hasInterface(name: string, clock: Clock): Promise<boolean> {
  return await clock.track(
    access(`${folder}/${name}`).then(
      () => true,
      () => false,
    ),
  );
}
