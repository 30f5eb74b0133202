import type { Clock, Logger } from "@kedge/machinery";
import type { EventRecorder } from "@kedge/runtime";
import type { ImageStore } from "../images/types.ts";

/** How often images are looked through, as with the kubelet. */
const periodMs = 300_000;

/** What a collector needs. */
export interface ImageCollectorOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly images: ImageStore;
  readonly nodeName: string;
}

/** Removes images that nobody uses while the disk is too full, and says on the node when that is not enough. */
export async function collectRegularly(options: ImageCollectorOptions, signal: AbortSignal): Promise<void> {
  const { clock, logger, images } = options;
  let failedBefore = false;
  while (!signal.aborted) {
    try {
      const { wanted, freed } = await images.collect();
      const failed = freed < wanted;
      if (failed) tell(options, { wanted, freed, again: failedBefore });
      failedBefore = failed;
    } catch (error) {
      logger.warn("Images could not be looked through", { error });
    }
    await clock.sleep(periodMs, signal).catch(() => undefined);
  }
}

/** In the kubelet's words. It says the second one when it fails twice in a row. */
function tell(
  { events, nodeName }: ImageCollectorOptions,
  { wanted, freed, again }: { readonly wanted: number; readonly freed: number; readonly again: boolean },
): void {
  const message = `Failed to garbage collect required amount of images. Attempted to free ${wanted} bytes, but only found ${freed} bytes eligible to free.`;
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: nodeName, uid: nodeName } };
  events.record(node, { type: "Warning", reason: "FreeDiskSpaceFailed", message });
  if (again) events.record(node, { type: "Warning", reason: "ImageGCFailed", message });
}
