import { deepEqual, fieldInvalid } from "@kedge/machinery";
import { VolumeAttachment, type VolumeAttachmentSpec } from "@kedge/machinery/kinds/storage/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { metadataOfStatus, statusPart } from "../status.ts";
import { validateAttachment, validateAttachmentStatus } from "./validation.ts";

/** VolumeAttachments: which volume is to be attached to which node, for the driver that does it. */
export function volumeAttachmentDefinition(): KindDefinition {
  return {
    kind: VolumeAttachment,
    printer,
    strategy: {
      validate: validateAttachment,
      validateUpdate: (object, previous) =>
        deepEqual(object["spec"], previous["spec"])
          ? []
          : [fieldInvalid("spec", shownSpec(decodedAs(VolumeAttachment, object).spec), "field is immutable")],
      generation: "none",
      unconditionalUpdate: false,
      deleteAnswersObject: true,
    },
    subresources: {
      status: statusPart({ keepMetadata: metadataOfStatus, validateUpdate: validateAttachmentStatus }),
    },
  };
}

/** As Go's own type is printed, with its fields in their order. */
function shownSpec(spec: Decoded<VolumeAttachmentSpec> = {}): unknown {
  const { persistentVolumeName, inlineVolumeSpec } = spec.source ?? {};
  return new Map<string, unknown>([
    ["Attacher", spec.attacher ?? ""],
    [
      "Source",
      new Map<string, unknown>([
        ["PersistentVolumeName", persistentVolumeName ?? null],
        ["InlineVolumeSpec", inlineVolumeSpec ?? null],
      ]),
    ],
    ["NodeName", spec.nodeName ?? ""],
  ]);
}

const printer = printerOf(
  VolumeAttachment,
  [
    nameColumn,
    { ...column("Attacher", "The driver that attaches it."), format: "name" },
    column("PV", "The volume."),
    column("Node", "The node."),
    column("Attached", "Whether it is attached.", { type: "boolean" }),
    ageColumn,
  ],
  ({ metadata, spec, status }, now) => [
    metadata?.name,
    spec?.attacher ?? "",
    spec?.source?.persistentVolumeName ?? "",
    spec?.nodeName ?? "",
    status?.attached ?? false,
    age(metadata?.creationTimestamp, now),
  ],
);
