import type { Clock } from "@kedge/machinery";
import type { CryptoKey } from "./keys.ts";
import type { Validity } from "./validity.ts";
import { type Extension, Name, SubjectKeyIdentifierExtension, X509CertificateGenerator } from "./x509.ts";

/** All that is signed. */
export interface CertificateTemplate {
  readonly serialNumber: string;
  readonly subject: Name;
  readonly issuer: Name;
  readonly validity: Validity;
  readonly publicKey: CryptoKey;
  readonly signingKey: CryptoKey;
  readonly extensions: readonly Extension[];
}

/** Signs a certificate and gives it as PEM. */
export async function signCertificate(template: CertificateTemplate, clock: Clock): Promise<string> {
  const { validity, extensions, ...signed } = template;
  // Where two authorities have one name, as in a rotation, this is how verifiers tell them apart.
  const keyId = await clock.track(SubjectKeyIdentifierExtension.create(template.publicKey));
  const certificate = await clock.track(
    X509CertificateGenerator.create({
      ...signed,
      notBefore: new Date(validity.notBefore),
      notAfter: new Date(validity.notAfter),
      extensions: [...extensions, keyId],
    }),
  );
  return `${certificate.toString("pem").trimEnd()}\n`;
}

/** The name of a subject. Typed values, so that no character in them has a meaning. */
export function nameOf(commonName: string, organizations: readonly string[] = []): Name {
  return new Name([
    ...organizations.map((organization) => ({ O: [{ utf8String: organization }] })),
    { CN: [{ utf8String: commonName }] },
  ]);
}
