import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { validateStorageClass, validateStorageClassUpdate } from "../validation/storage-class.ts";

/** StorageClasses. */
export function storageClassDefinition(): KindDefinition {
  return {
    kind: StorageClass,
    strategy: {
      validate: validateStorageClass,
      validateUpdate: validateStorageClassUpdate,
      generation: "none",
      deleteAnswersObject: true,
    },
  };
}
