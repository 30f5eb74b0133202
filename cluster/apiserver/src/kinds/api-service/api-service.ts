import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  formatTime,
  validateDns1035Label,
  validateDns1123Subdomain,
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

/** APIServices: the group versions that are served. Only those of this server: it proxies to no other. */
export function apiServiceDefinition(): KindDefinition {
  return {
    kind: APIService,
    printer,
    strategy: {
      prepareForCreate: (object, { clock }) => {
        object["status"] = {
          conditions: [
            {
              type: "Available",
              status: "True",
              lastTransitionTime: formatTime(clock.now()),
              reason: "Local",
              message: "Local APIServices are always available",
            },
          ],
        };
      },
      prepareForUpdate: keepStatus,
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
  if (spec.service !== undefined)
    return [
      fieldForbidden(
        path.child("service"),
        "this server does not proxy to other API servers: leave it out, or serve the group by a CustomResourceDefinition",
      ),
    ];
  const bundle = Buffer.from(spec.caBundle ?? "", "base64").length;
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
