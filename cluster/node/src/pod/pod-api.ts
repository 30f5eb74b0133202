import type { Client } from "@kedge/client";
import { isConflict, isNotFound } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { PodApi } from "./context.ts";
import type { ApiPod } from "../model/types.ts";

/** Writes pods through a client. */
export function createPodApi(client: Client): PodApi {
  return {
    patchStatus: (pod, patch, signal) =>
      client.of(Pod).status.patch(keyOf(pod), { strategic: patch }, { signal }),
    async delete(pod, signal) {
      try {
        const { uid } = pod.metadata;
        await client.of(Pod).delete(keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid }, signal });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    },
  };
}

function keyOf({ metadata }: ApiPod): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace, name: metadata.name };
}
