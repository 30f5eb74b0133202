import {
  deepEqual,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTooLong,
  messageOf,
  type FieldError,
} from "@kedge/machinery";
import { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";
import { maxCertificateRequestBytes, parseCertificateRequest } from "@kedge/pki/request";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { repeated } from "../repeated.ts";
import { validateCertificates } from "./certificates.ts";
import { conditionsOf, type RequestCondition } from "./conditions.ts";
import { validateSignerName } from "./signer-name.ts";

/** What is wrong with a request by itself; what was wrong before may stay so. */
export function validateRequest(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  const { spec = {}, status } = decodedAs(CertificateSigningRequest, object);
  const before = previous === undefined ? undefined : decodedAs(CertificateSigningRequest, previous);
  const path = fieldPath("spec");
  const wanted = spec.usages ?? [];
  const second = repeated(wanted, (usage) => usage);
  const certificate = status?.certificate ?? "";
  const fault =
    certificate === (before?.status?.certificate ?? "") ? undefined : validateCertificates(certificate);
  return [
    ...requestErrors(spec.request ?? ""),
    ...(wanted.length === 0 ? [fieldRequired(path.child("usages"))] : []),
    ...wanted.flatMap((usage, i) =>
      usages.includes(usage) ? [] : [fieldNotSupported(path.child("usages").index(i), usage, usages)],
    ),
    ...wanted.flatMap((usage, i) =>
      second.has(i) ? [fieldDuplicate(path.child("usages").index(i), usage)] : [],
    ),
    ...(spec.signerName === "kubernetes.io/legacy-unknown"
      ? [
          fieldInvalid(
            path.child("signerName"),
            spec.signerName,
            "the legacy signerName is not allowed via this API version",
          ),
        ]
      : validateSignerName(spec.signerName ?? "", path.child("signerName"))),
    ...(spec.expirationSeconds !== undefined && spec.expirationSeconds < 600
      ? [
          fieldInvalid(
            path.child("expirationSeconds"),
            spec.expirationSeconds,
            "may not specify a duration less than 600 seconds (10 minutes)",
          ),
        ]
      : []),
    ...conditionErrors(conditionsOf(object)),
    ...(fault === undefined ? [] : [fieldInvalid("status.certificate", "<certificate data>", fault)]),
  ];
}

function requestErrors(request: string): FieldError[] {
  const pem = Buffer.from(request, "base64").toString("latin1");
  if (pem.length > maxCertificateRequestBytes)
    return [fieldTooLong("spec.request", maxCertificateRequestBytes)];
  try {
    parseCertificateRequest(pem).checkSignature();
    return [];
  } catch (error) {
    return [fieldInvalid("spec.request", request, messageOf(error))];
  }
}

/** In the order of bytes, as messages have them. */
const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

const onlyTrue: ReadonlySet<string> = new Set(["Approved", "Denied", "Failed"]);

function conditionErrors(conditions: readonly RequestCondition[]): FieldError[] {
  const path = fieldPath("status", "conditions");
  const second = repeated(conditions, ({ type = "" }) => type);
  return conditions.flatMap(({ type = "", status = "" }, i) => {
    const at = path.index(i);
    const allowed = onlyTrue.has(type) ? ["True"] : ["False", "True", "Unknown"];
    const other = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    const isBoth = conditions.slice(0, i).some((each) => other !== undefined && each.type === other);
    return [
      ...(type === "" ? [fieldRequired(at.child("type"))] : []),
      ...(status === ""
        ? [fieldRequired(at.child("status"))]
        : allowed.includes(status)
          ? []
          : [fieldNotSupported(at.child("status"), status, allowed)]),
      ...(isBoth ? [fieldInvalid(path, type, "Approved and Denied conditions are mutually exclusive")] : []),
      ...(second.has(i) ? [fieldDuplicate(at.child("type"), type)] : []),
    ];
  });
}

/** What is wrong with changing a request so, by itself or by one of its parts. */
export function validateRequestUpdate(
  part?: "approval" | "status",
): (object: StoredApiObject, previous: StoredApiObject) => FieldError[] {
  return (object, previous) => {
    const path = fieldPath("status", "conditions");
    const removed = ["Approved", "Denied", "Failed"].flatMap((type) =>
      ofType(object, type).length < ofType(previous, type).length
        ? [fieldForbidden(path, `updates may not remove a condition of type "${type}"`)]
        : [],
    );
    const decided = ["Approved", "Denied"].flatMap((type) => {
      const [now, before] = [ofType(object, type), ofType(previous, type)];
      if (part === "approval" || now.length < before.length || deepEqual(now, before)) return [];
      const verb = now.length > before.length ? "add" : "modify";
      return [fieldForbidden(path, `updates may not ${verb} a condition of type "${type}"`)];
    });
    return [...removed, ...decided, ...certificateErrors(object, previous, part)];
  };
}

function ofType(object: StoredApiObject, type: string): readonly RequestCondition[] {
  return conditionsOf(object).filter((condition) => condition.type === type);
}

function certificateErrors(
  object: StoredApiObject,
  previous: StoredApiObject,
  part: "approval" | "status" | undefined,
): FieldError[] {
  const now = decodedAs(CertificateSigningRequest, object).status?.certificate ?? "";
  const before = decodedAs(CertificateSigningRequest, previous).status?.certificate ?? "";
  if (now === before) return [];
  if (part !== "status")
    return [fieldForbidden("status.certificate", "updates may not set certificate content")];
  if (before === "") return [];
  return [fieldForbidden("status.certificate", "updates may not modify existing certificate content")];
}
