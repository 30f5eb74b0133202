import { deepEqual } from "@kedge/machinery";
import { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";
import { parseCertificateRequest } from "@kedge/pki/request";
import { decodedAs } from "../registry/decoded.ts";
import type { StoredApiObject, User } from "../registry/types.ts";
import { refusal } from "./request.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./types.ts";
import type { Authorizer } from "../auth/types.ts";

/** Who may approve and sign requests of a signer, and which subjects nobody may ask for. */
export function certificatePlugins(authorizer: Authorizer): readonly AdmissionPlugin[] {
  return [
    {
      name: "CertificateApproval",
      operations: ["UPDATE"],
      validate: (request) => {
        const signer = signerOf(request, "approval");
        if (signer === undefined || maySign(authorizer, request.user, "approve", signer)) return;
        throw refusal(
          request,
          `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`,
        );
      },
    },
    {
      name: "CertificateSigning",
      operations: ["UPDATE"],
      validate: (request) => {
        const signer = signerOf(request, "status");
        if (signer === undefined || !changesStatus(request)) return;
        if (maySign(authorizer, request.user, "sign", signer)) return;
        throw refusal(
          request,
          `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`,
        );
      },
    },
    { name: "CertificateSubjectRestriction", operations: ["CREATE"], validate: restrictSubject },
  ];
}

const clientSigner = "kubernetes.io/kube-apiserver-client";

/** The signer of the request as it is stored, when this part of it is written. */
function signerOf(
  { resource, subresource, oldObject }: AdmissionRequest<StoredApiObject>,
  part: string,
): string | undefined {
  if (!isRequest(resource) || subresource !== part || oldObject === undefined) return undefined;
  return decodedAs(CertificateSigningRequest, oldObject).spec?.signerName ?? "";
}

function isRequest({ group, plural }: AdmissionRequest["resource"]): boolean {
  return group === CertificateSigningRequest.group && plural === CertificateSigningRequest.plural;
}

function changesStatus({ object, oldObject }: AdmissionRequest<StoredApiObject>): boolean {
  if (object === undefined || oldObject === undefined) return false;
  const [now, before] = [object, oldObject].map((each) => decodedAs(CertificateSigningRequest, each).status);
  return (
    !deepEqual(now?.certificate, before?.certificate) ||
    !deepEqual(now?.conditions ?? [], before?.conditions ?? [])
  );
}

/** By its name, or all of its domain: `kubernetes.io/*`. */
function maySign(authorizer: Authorizer, user: User, verb: "approve" | "sign", signer: string): boolean {
  return [signer, `${signer.split("/", 1)[0] ?? ""}/*`].some((name) => {
    const resource = {
      group: CertificateSigningRequest.group,
      version: "*",
      plural: "signers",
      subresource: "",
      namespace: "",
      name,
    };
    return authorizer({ user, verb, path: "", resource }).allowed;
  });
}

/** Nobody becomes an admin by a certificate. */
function restrictSubject(request: AdmissionRequest<StoredApiObject>): void {
  const { resource, subresource, object } = request;
  if (!isRequest(resource) || subresource !== "" || object === undefined) return;
  const { spec } = decodedAs(CertificateSigningRequest, object);
  if (spec?.signerName !== clientSigner) return;
  const pem = Buffer.from(spec.request ?? "", "base64").toString("latin1");
  if (!parseCertificateRequest(pem).organizations.includes("system:masters")) return;
  throw refusal(request, `use of ${clientSigner} signer with system:masters group is not allowed`);
}
