import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { validateStorageClass, validateStorageClassUpdate } from "./validation.ts";
import { storageClassPrinter } from "./printer.ts";

/** StorageClasses. */
export function storageClassDefinition(): KindDefinition {
  return {
    kind: StorageClass,
    printer: storageClassPrinter,
    strategy: {
      validate: validateStorageClass,
      validateUpdate: validateStorageClassUpdate,
      generation: "none",
      deleteAnswersObject: true,
    },
  };
}
