import type { DeepReadonly } from "@kedge/machinery";
import { SubjectAccessReview } from "@kedge/machinery/kinds/authorization/v1";
import { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";
import { parseCertificateRequest } from "@kedge/pki/request";
import { defineController, type Controller, type ReconcileContext } from "@kedge/runtime";
import { isDecided, pemOf, withCondition } from "./conditions.ts";
import { kubeletClientRefusal, signers } from "./recognize.ts";

/** Approves what nodes ask for themselves, when they may. All else is for people to decide. */
export function certificateApprover(): Controller {
  return defineController({
    name: "csrapproving",
    for: CertificateSigningRequest,
    when: (request) => !isDecided(request),
    reconcile,
  });
}

async function reconcile(context: ReconcileContext<CertificateSigningRequest>): Promise<undefined> {
  const { object, client } = context;
  if (object === undefined || isDecided(object) || object.status?.certificate !== undefined) return undefined;
  for (const { part, message } of reasonsFor(object)) {
    if (!(await mayCreate(context, object, part))) continue;
    const approved = withCondition(object, { type: "Approved", reason: "AutoApproved", message });
    await client.of(CertificateSigningRequest).approval.replace(approved);
    return undefined;
  }
  return undefined;
}

/** What would make the request right, if its maker may do that. */
function reasonsFor(
  object: DeepReadonly<CertificateSigningRequest>,
): readonly { readonly part: string; readonly message: string }[] {
  const { signerName, usages = [], username } = object.spec;
  if (signerName !== signers.kubeletClient) return [];
  const request = parseCertificateRequest(pemOf(object));
  if (kubeletClientRefusal(request, usages) !== undefined) return [];
  return [
    ...(request.commonName === username
      ? [
          {
            part: "selfnodeclient",
            message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
          },
        ]
      : []),
    {
      part: "nodeclient",
      message: "Auto approving kubelet client certificate after SubjectAccessReview.",
    },
  ];
}

async function mayCreate(
  { client }: ReconcileContext<CertificateSigningRequest>,
  { spec }: DeepReadonly<CertificateSigningRequest>,
  subresource: string,
): Promise<boolean> {
  const { username: user, uid, groups, extra } = spec;
  const review = await client.of(SubjectAccessReview).create({
    metadata: {},
    spec: {
      ...(user !== undefined && { user }),
      ...(uid !== undefined && { uid }),
      ...(groups !== undefined && { groups: [...groups] }),
      ...(extra !== undefined && { extra }),
      resourceAttributes: {
        group: CertificateSigningRequest.group,
        resource: CertificateSigningRequest.plural,
        verb: "create",
        subresource,
        version: "*",
      },
    },
  });
  return review.status?.allowed ?? false;
}
