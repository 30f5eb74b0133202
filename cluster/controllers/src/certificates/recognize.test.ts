import { parseCertificateRequest } from "@kedge/pki/request";
import { makeRequest } from "@kedge/pki/testing/make-request";
import { expect, it } from "vitest";
import { refusalBy, signers } from "./recognize.ts";

const usages = ["digital signature", "client auth"];

it("signs clients, but no admins", async () => {
  const client = parseCertificateRequest(await makeRequest({ subject: "O=dev, CN=jane" }));
  expect(refusalBy(signers.client, client, usages)).toBeUndefined();
  const admin = parseCertificateRequest(await makeRequest({ subject: "O=dev, O=system:masters, CN=jane" }));
  expect(refusalBy(signers.client, admin, usages)).toBe(
    "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed",
  );
});
