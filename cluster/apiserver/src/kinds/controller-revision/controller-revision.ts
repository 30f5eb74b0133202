import { ControllerRevision } from "@kedge/machinery/kinds/apps/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { controllerRevisionPrinter } from "./printer.ts";
import { validateControllerRevision } from "./validation.ts";

/** ControllerRevisions. */
export function controllerRevisionDefinition(): KindDefinition {
  return {
    kind: ControllerRevision,
    printer: controllerRevisionPrinter,
    strategy: { validate: validateControllerRevision, generation: "none" },
  };
}
