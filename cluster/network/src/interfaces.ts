import { access, readdir, writeFile } from "node:fs/promises";
import { hasCode, type Clock } from "@kedge/machinery";

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

/** Lets an interface carry nothing of IPv6, which no rule of ours looks at. */
export async function withoutIpv6(name: string, clock: Clock): Promise<void> {
  try {
    await clock.track(writeFile(`/proc/sys/net/ipv6/conf/${name}/disable_ipv6`, "1"));
  } catch (error) {
    // A kernel without IPv6 carries none.
    if (!hasCode(error, "ENOENT")) throw error;
  }
}
