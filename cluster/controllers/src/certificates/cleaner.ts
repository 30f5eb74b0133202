import { X509Certificate } from "node:crypto";
import { ifFound, parseTime, type DeepReadonly } from "@kedge/machinery";
import { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";
import {
  defineController,
  type Controller,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";

const hour = 3_600_000;
const day = 24 * hour;

/** Deletes requests that nobody needs any more: an hour after they were decided, a day after they were made. */
export function certificateCleaner(): Controller {
  return defineController({
    name: "csrcleaner",
    for: CertificateSigningRequest,
    when: () => true,
    reconcile,
  });
}

async function reconcile({
  object,
  client,
  clock,
}: ReconcileContext<CertificateSigningRequest>): Promise<ReconcileResult | undefined> {
  if (object === undefined) return undefined;
  const left = timeLeft(object, clock.now());
  if (left > 0) return { requeueAfter: left };
  const { name, uid } = object.metadata;
  await ifFound(client.of(CertificateSigningRequest).delete({ name }, { preconditions: { uid } }));
  return undefined;
}

/** Milliseconds until a request is to go; none or less when it should be gone. */
export function timeLeft({ metadata, status }: DeepReadonly<CertificateSigningRequest>, now: number): number {
  const { conditions = [], certificate = "" } = status ?? {};
  const isIssued = certificate !== "";
  const ends = conditions.map(({ type, lastUpdateTime }) => {
    const since = typeof lastUpdateTime === "string" ? parseTime(lastUpdateTime) : now;
    return since + (type === "Approved" && !isIssued ? day : hour);
  });
  if (conditions.length === 0) ends.push(parseTime(metadata.creationTimestamp) + day);
  if (isIssued) ends.push(endOf(certificate));
  return Math.min(...ends) - now;
}

function endOf(certificate: string): number {
  try {
    return new X509Certificate(Buffer.from(certificate, "base64")).validToDate.getTime();
  } catch {
    return Infinity;
  }
}
