import { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";
import type { Authority } from "@kedge/pki";
import { parseCertificateRequest } from "@kedge/pki/request";
import { defineController, type Controller, type ReconcileContext } from "@kedge/runtime";
import { hasCondition, pemOf, withCondition, writable } from "./conditions.ts";
import { refusalBy, signers } from "./recognize.ts";

const year = 365 * 24 * 3_600_000;
const tenMinutes = 600_000;

/** Signs approved requests for clients and for nodes, with the cluster's authority. */
export function certificateSigner(authority: Authority): Controller {
  return defineController({
    name: "csrsigning",
    for: CertificateSigningRequest,
    when: (request) => hasCondition(request, "Approved"),
    reconcile: (context) => reconcile(context, authority),
  });
}

const known: ReadonlySet<string> = new Set(Object.values(signers));

async function reconcile(
  { object, client }: ReconcileContext<CertificateSigningRequest>,
  authority: Authority,
): Promise<undefined> {
  if (object === undefined || !known.has(object.spec.signerName)) return undefined;
  if (!hasCondition(object, "Approved") || hasCondition(object, "Denied")) return undefined;
  if (hasCondition(object, "Failed") || (object.status?.certificate ?? "") !== "") return undefined;
  const { signerName, usages = [], expirationSeconds } = object.spec;
  const request = parseCertificateRequest(pemOf(object));
  const statuses = client.of(CertificateSigningRequest).status;
  const message = refusalBy(signerName, request, usages);
  if (message !== undefined) {
    await statuses.replace(
      withCondition(object, { type: "Failed", reason: "SignerValidationFailure", message }),
    );
    return undefined;
  }
  const wished = expirationSeconds === undefined ? year : expirationSeconds * 1000;
  const lifetime = Math.min(Math.max(wished, tenMinutes), year);
  const certificate = await authority.sign({ request, usages, lifetime });
  const signed = writable(object);
  const status = { ...signed.status, certificate: Buffer.from(certificate).toString("base64") };
  await statuses.replace({ ...signed, status });
  return undefined;
}
