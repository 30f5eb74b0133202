import { fieldPath } from "@kedge/machinery";
import { PodTemplate } from "@kedge/machinery/kinds/core/v1";
import { decodedAs } from "../../registry/decoded.ts";
import { column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { containerCells, labelsCell } from "../../tables/text-cells.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { validateTemplate } from "../pod-spec/pod-template.ts";
import { podSpecWarnings } from "../pod-spec/warnings.ts";

/** PodTemplates: nothing is made of them, they are there to be copied. */
export function podTemplateDefinition(): KindDefinition {
  return {
    kind: PodTemplate,
    printer,
    strategy: {
      validate: (object) =>
        validateTemplate(decodedAs(PodTemplate, object).template ?? {}, fieldPath("template")),
      warnings: (object, previous) =>
        previous?.metadata.generation === object.metadata.generation && previous !== undefined
          ? []
          : podSpecWarnings(
              decodedAs(PodTemplate, object).template?.spec ?? {},
              fieldPath("template", "spec"),
            ),
      deleteAnswersObject: true,
    },
  };
}

const printer = printerOf(
  PodTemplate,
  [
    nameColumn,
    column("Containers", "Names of the containers of the template."),
    column("Images", "Images of the containers of the template."),
    column("Pod Labels", "Labels of the template."),
  ],
  ({ metadata, template }) => [
    metadata?.name,
    ...containerCells(template?.spec?.containers),
    labelsCell(template?.metadata?.labels),
  ],
);
