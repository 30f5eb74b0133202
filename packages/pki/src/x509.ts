// The library's dependency injection reads metadata when it is loaded: the order of these two matters.
// oxlint-disable-next-line import/no-unassigned-import -- it extends `Reflect`, which is all that it is for
import "reflect-metadata/lite";
export {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate as ParsedCertificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
