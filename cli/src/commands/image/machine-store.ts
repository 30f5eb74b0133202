import { realClock, silentLogger } from "@kedge/machinery";
import { machineArchitecture, ociFolder, openOciStore, type OciStore } from "@kedge/node";
import { cacheFolder } from "../../cluster/cache-folder.ts";
import type { KedgeContext } from "../../context.ts";

/** The store that all clusters of this user share. */
export async function machineStore({ process: { env } }: KedgeContext): Promise<OciStore> {
  return await openOciStore({
    folder: ociFolder(cacheFolder(env)),
    clock: realClock,
    logger: silentLogger,
    architecture: machineArchitecture(),
  });
}
