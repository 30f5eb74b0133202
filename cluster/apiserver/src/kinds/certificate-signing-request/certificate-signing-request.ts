import { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";
import { decodedAs } from "../../registry/decoded.ts";
import { keep } from "../../registry/keep-fields.ts";
import type { PartSubresource } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { keepApprovals, stampConditions } from "./conditions.ts";
import { certificateSigningRequestPrinter } from "./printer.ts";
import { validateRequest, validateRequestUpdate } from "./validation.ts";

/** CertificateSigningRequests. Who approves and signs them: the controllers. Who may: `admission/certificate-plugins.ts`. */
export function certificateSigningRequestDefinition(): KindDefinition {
  return {
    kind: CertificateSigningRequest,
    printer: certificateSigningRequestPrinter,
    strategy: {
      prepareForCreate: (object, { user }) => {
        const request = decodedAs(CertificateSigningRequest, object);
        const { username: _, uid: __, groups: ___, extra: ____, ...spec } = request.spec ?? {};
        request.spec = {
          ...spec,
          username: user.name,
          ...(user.uid !== undefined && user.uid !== "" && { uid: user.uid }),
          groups: [...user.groups],
          ...(user.extra !== undefined &&
            Object.keys(user.extra).length > 0 && {
              extra: Object.fromEntries(
                Object.entries(user.extra).map(([key, values]) => [key, [...values]]),
              ),
            }),
        };
        request.status = {};
      },
      prepareForUpdate: (object, previous) => keep(object, previous, ["spec", "status"]),
      validate: validateRequest,
      validateUpdate: validateRequestUpdate(),
      nameRule: () => [],
      selectableFieldNames: ["spec.signerName"],
      selectableFields: (object) => ({
        "spec.signerName": decodedAs(CertificateSigningRequest, object).spec?.signerName ?? "",
      }),
      generation: "none",
    },
    subresources: { status, approval },
  };
}

const part = { type: "part", verbs: ["get", "patch", "update"], keepsGeneration: true } as const;

/** Where the certificate comes, and what went wrong: for who signs. */
const status: PartSubresource = {
  ...part,
  writes: ["status"],
  prepareForUpdate: (object, previous, { clock }) => {
    keep(object, previous, ["spec"]);
    keepApprovals(object, previous);
    stampConditions(object, previous, clock.now());
  },
  validate: validateRequest,
  validateUpdate: validateRequestUpdate("status"),
};

/** Whether it is approved: for who decides. */
const approval: PartSubresource = {
  ...part,
  writes: ["status"],
  prepareForUpdate: (object, previous, { clock }) => {
    stampConditions(object, previous, clock.now());
    const { conditions } = decodedAs(CertificateSigningRequest, object).status ?? {};
    keep(object, previous, ["spec"]);
    const before = decodedAs(CertificateSigningRequest, previous).status;
    object["status"] = { ...before, ...(conditions !== undefined && { conditions }) };
    if (conditions === undefined) delete decodedAs(CertificateSigningRequest, object).status?.conditions;
  },
  validate: validateRequest,
  validateUpdate: validateRequestUpdate("approval"),
};
