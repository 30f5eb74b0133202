import {
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  formatTime,
  validateDns1035Label,
  validateDns1123Subdomain,
  type Clock,
  type FieldError,
} from "@kedge/machinery";
import { APIService } from "@kedge/machinery/kinds/apiregistration/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { keepStatus, metadataOfStatus, statusPart } from "../status.ts";
import { named } from "../validation/field-rules.ts";

/** APIServices: the group versions that are served, by this server or by another behind a Service. */
export function apiServiceDefinition(): KindDefinition {
  return {
    kind: APIService,
    printer,
    strategy: {
      prepareForCreate: (object, { clock }) => {
        // Of another server it is found out whether it is there.
        object["status"] = isLocal(object) ? { conditions: [localCondition(clock)] } : {};
      },
      prepareForUpdate: (object, previous, context) => {
        keepStatus(object, previous);
        if (isLocal(object) && !isLocal(previous))
          object["status"] = { conditions: [localCondition(context.clock)] };
      },
      validate,
      nameRule: () => [],
      generation: "none",
      unconditionalUpdate: false,
    },
    subresources: {
      status: statusPart({ keepMetadata: metadataOfStatus, validateUpdate: validateStatus }),
    },
  };
}

function isLocal(object: StoredApiObject): boolean {
  return decodedAs(APIService, object).spec?.service === undefined;
}

/** What is known of one that this server serves itself. */
function localCondition(clock: Clock) {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: formatTime(clock.now()),
    reason: "Local",
    message: "Local APIServices are always available",
  };
}

function validate(object: StoredApiObject): FieldError[] {
  const { spec = {} } = decodedAs(APIService, object);
  const { group = "", version = "", groupPriorityMinimum = 0, versionPriority = 0 } = spec;
  const path = fieldPath("spec");
  const { name = "" } = object.metadata;
  const wanted = `${version}.${group}`;
  return [
    ...(name === wanted
      ? []
      : [
          fieldInvalid(
            "metadata.name",
            name,
            `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`,
          ),
        ]),
    ...(group === "" && version !== "v1"
      ? [fieldRequired(path.child("group"), "only v1 may have an empty group and it better be legacy kube")]
      : []),
    ...(group === "" ? [] : named(group, validateDns1123Subdomain, path.child("group"))),
    ...named(version, validateDns1035Label, path.child("version")),
    ...(groupPriorityMinimum <= 0 || groupPriorityMinimum > 20_000
      ? [
          fieldInvalid(
            path.child("groupPriorityMinimum"),
            groupPriorityMinimum,
            "must be positive and less than 20000",
          ),
        ]
      : []),
    ...(versionPriority <= 0 || versionPriority > 1000
      ? [fieldInvalid(path.child("versionPriority"), versionPriority, "must be positive and less than 1000")]
      : []),
    ...serviceErrors(spec),
  ];
}

function serviceErrors(spec: NonNullable<Decoded<APIService>["spec"]>): FieldError[] {
  const path = fieldPath("spec");
  const bundle = Buffer.from(spec.caBundle ?? "", "base64").length;
  if (spec.service !== undefined) return remoteErrors(spec, bundle);
  return [
    ...(bundle === 0
      ? []
      : [
          fieldInvalid(
            path.child("caBundle"),
            `${bundle} bytes`,
            "local APIServices may not have a caBundle",
          ),
        ]),
    ...(spec.insecureSkipTLSVerify === true
      ? [
          fieldInvalid(
            path.child("insecureSkipTLSVerify"),
            true,
            "local APIServices may not have insecureSkipTLSVerify",
          ),
        ]
      : []),
  ];
}

function remoteErrors(spec: NonNullable<Decoded<APIService>["spec"]>, bundle: number): FieldError[] {
  const path = fieldPath("spec");
  const { namespace = "", name = "", port = 443 } = spec.service ?? {};
  return [
    ...(namespace === "" ? [fieldRequired(path.child("service").child("namespace"), "")] : []),
    ...(name === "" ? [fieldRequired(path.child("service").child("name"), "")] : []),
    ...(port < 1 || port > 65_535
      ? [
          fieldInvalid(
            path.child("service").child("port"),
            port,
            "port is not valid: must be between 1 and 65535, inclusive",
          ),
        ]
      : []),
    ...(spec.insecureSkipTLSVerify === true && bundle > 0
      ? [fieldInvalid(path.child("insecureSkipTLSVerify"), true, "may not be true if caBundle is present")]
      : []),
  ];
}

const statuses = ["True", "False", "Unknown"];

function validateStatus(object: StoredApiObject): FieldError[] {
  const { conditions = [] } = decodedAs(APIService, object).status ?? {};
  return conditions.flatMap(({ status = "" }, i) =>
    statuses.includes(status)
      ? []
      : [fieldNotSupported(fieldPath("status", "conditions").index(i).child("status"), status, statuses)],
  );
}

const printer = printerOf(
  APIService,
  [
    nameColumn,
    column("Service", "Who serves it."),
    column("Available", "Whether it is available."),
    ageColumn,
  ],
  ({ metadata, spec, status }, now) => [
    metadata?.name,
    spec?.service === undefined ? "Local" : `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}`,
    status?.conditions?.find(({ type }) => type === "Available")?.status ?? "Unknown",
    age(metadata?.creationTimestamp, now),
  ],
);
