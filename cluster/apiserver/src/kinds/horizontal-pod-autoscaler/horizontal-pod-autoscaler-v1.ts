import { clone } from "@kedge/machinery";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v1";
import type { ApiObject, StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { dropStatus, keepStatus, statusPart } from "../status.ts";
import { fromFirst, specAnnotations, statusAnnotations, toFirst } from "./convert-v1.ts";
import { horizontalPodAutoscalerPrinter } from "./printer.ts";
import { validateAutoscaler, validateAutoscalerStatus } from "./validation.ts";

/**
 * HorizontalPodAutoscalers as version v1 has them, which `kubectl autoscale` writes up to 1.33: the same objects as
 * those of v2, with a target for the CPU only, and all else in annotations.
 */
export function firstAutoscalerDefinition(): KindDefinition {
  return {
    kind: HorizontalPodAutoscaler,
    printer: horizontalPodAutoscalerPrinter,
    storage: "autoscaling/horizontalpodautoscalers",
    storedAs: { group: "autoscaling", version: "v2", kind: HorizontalPodAutoscaler.kind },
    conversion: { toStored: fromFirst, fromStored: toFirst },
    strategy: {
      prepareForCreate: (object) => {
        dropStatus(object);
        takeOver(object, undefined, Object.values(statusAnnotations));
        straighten(object);
      },
      prepareForUpdate: (object, previous) => {
        keepStatus(object, previous);
        takeOver(object, previous, Object.values(statusAnnotations));
        straighten(object);
      },
      validate: (object) => validateAutoscaler(asStored(object)),
      generation: "none",
    },
    subresources: {
      status: statusPart({
        prepare: (object, previous) => {
          takeOver(object, previous, Object.values(specAnnotations));
          straighten(object);
        },
        validateUpdate: (object) => validateAutoscalerStatus(asStored(object)),
      }),
    },
  };
}

/** Annotations that tell of what this writer may not change are as they were. */
function takeOver(object: ApiObject, previous: StoredApiObject | undefined, names: readonly string[]): void {
  const annotations = { ...object.metadata.annotations };
  for (const name of names) {
    const before = previous?.metadata.annotations?.[name];
    if (before === undefined) delete annotations[name];
    else annotations[name] = before;
  }
  object.metadata = { ...object.metadata, annotations };
}

/** What is written is answered as it will be read. */
function straighten(object: ApiObject): void {
  fromFirst(object);
  toFirst(object);
}

function asStored(object: StoredApiObject): StoredApiObject {
  const stored = clone<ApiObject>(object);
  fromFirst(stored);
  return stored;
}
