import { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { humanDuration } from "../../tables/human-duration.ts";
import { printerOf } from "../../tables/printer.ts";

/** `kubectl get csr`. */
export const certificateSigningRequestPrinter = printerOf(
  CertificateSigningRequest,
  [
    nameColumn,
    ageColumn,
    column("SignerName", "Who is to sign it."),
    column("Requestor", "Who wants it signed."),
    column("RequestedDuration", "How long the certificate is to be good."),
    column("Condition", "What has become of it."),
  ],
  ({ metadata, spec, status }, now) => {
    const has = (type: string): boolean =>
      (status?.conditions ?? []).some((condition) => condition.type === type);
    const words = [
      has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending",
      ...(has("Failed") ? ["Failed"] : []),
      ...((status?.certificate ?? "") === "" ? [] : ["Issued"]),
    ];
    const seconds = spec?.expirationSeconds;
    return [
      metadata?.name,
      age(metadata?.creationTimestamp, now),
      spec?.signerName ?? "<none>",
      spec?.username ?? "",
      seconds === undefined ? "<none>" : humanDuration(seconds * 1000),
      words.join(","),
    ];
  },
);
