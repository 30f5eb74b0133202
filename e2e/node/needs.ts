import { execFileSync } from "node:child_process";

/** Why this machine cannot run containers; undefined when it can. */
export function whyNoContainers(): string | undefined {
  if (process.platform !== "linux") return "containers need Linux";
  if (process.getuid?.() !== 0) return "containers need root";
  try {
    execFileSync("dpkg-deb", ["--version"]);
    return undefined;
  } catch {
    return "dpkg-deb is not on this machine, which unpacks runc and conmon";
  }
}
