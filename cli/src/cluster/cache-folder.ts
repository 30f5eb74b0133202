import { homedir } from "node:os";
import { join } from "node:path";

/** Kedge's cache folder, as the launcher has it: KEDGE_CACHE, else `kedge` in the user's cache folder. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const own = env["KEDGE_CACHE"] ?? "";
  if (own !== "") return own;
  const shared = env["XDG_CACHE_HOME"] ?? "";
  return shared === "" ? join(env["HOME"] ?? homedir(), ".cache", "kedge") : join(shared, "kedge");
}
