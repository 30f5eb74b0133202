import type { Client } from "@kedge/client";
import { isNotFound } from "@kedge/machinery";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import type { SliceAction } from "./plan.ts";

/** Does what was planned for a slice. */
export async function actOnSlice(client: Client, action: SliceAction): Promise<void> {
  const slices = client.of(EndpointSlice);
  if (action.type === "create") await slices.create(action.slice);
  else if (action.type === "update") {
    const metadata = { ...action.slice.metadata, managedFields: undefined };
    await slices.replace({ ...action.slice, metadata });
  } else {
    const { metadata } = action.slice;
    try {
      await slices.delete(metadata, { preconditions: { uid: metadata.uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
