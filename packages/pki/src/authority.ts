import type { Clock } from "@kedge/machinery";
import { nameOf, signCertificate } from "./certificate.ts";
import { parseHosts } from "./hosts.ts";
import { generateKeyPair, importPublicKey, loadKeyPair, privateKeyPem, type KeyPair } from "./keys.ts";
import { PkiError } from "./pki-error.ts";
import { requestedExtensions } from "./requested-extensions.ts";
import { serialNumber } from "./serial-number.ts";
import type { Authority, CertificateWithKey, PkiOptions } from "./types.ts";
import { parseCertificate, validityFrom, validityOf } from "./validity.ts";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  ParsedCertificate,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
} from "./x509.ts";

const year = 365 * 24 * 3_600_000;

/** What a new authority is told. */
export interface AuthorityRequest extends PkiOptions {
  /** Common name. */
  readonly name: string;
  /** Milliseconds. Default: ten years. */
  readonly lifetime?: number;
}

/** Makes an authority with a new key. */
export async function createAuthority(request: AuthorityRequest): Promise<Authority> {
  const { name, lifetime = 10 * year, clock, random } = request;
  const serial = serialNumber(random);
  const subject = nameOf(required("name", name));
  const keys = await generateKeyPair(clock);
  const certificate = await signCertificate(
    {
      serialNumber: serial,
      subject,
      issuer: subject,
      validity: validityFrom(clock, lifetime),
      publicKey: keys.publicKey,
      signingKey: keys.privateKey,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(
          KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature,
          true,
        ),
      ],
    },
    clock,
  );
  return authorityOf({ certificate, key: privateKeyPem(keys.privateKey) }, keys, request);
}

/** Takes up an authority that was stored: ours, or any with an RSA or EC key, kubeadm's for example. */
export async function loadAuthority(stored: CertificateWithKey, options: PkiOptions): Promise<Authority> {
  const certificate = parseCertificate(stored.certificate);
  if (!certificate.ca) {
    throw new PkiError(
      `certificate: ${certificate.subject} is no authority (CA:TRUE is missing); give the one that signs`,
    );
  }
  return authorityOf(stored, loadKeyPair(stored.key, certificate), options);
}

function authorityOf(own: CertificateWithKey, keys: KeyPair, options: PkiOptions): Authority {
  const { clock, random } = options;
  // Most authorities never sign, and whoever only holds one does without the library that does.
  let found: Promise<Issuer> | undefined;
  const issuerOf = (): Promise<Issuer> => (found ??= findIssuer(own.certificate, clock));

  const issue = async ({ subject, lifetime = year, extensions }: Leaf): Promise<CertificateWithKey> => {
    // Drawn before anything is awaited: the order of the calls decides, not the order in which keys are finished.
    const serial = serialNumber(random);
    const leaf = await generateKeyPair(clock);
    const issuer = await issuerOf();
    const certificate = await signCertificate(
      {
        serialNumber: serial,
        subject,
        issuer: issuer.name,
        validity: validityFrom(clock, lifetime, validityOf(own.certificate)),
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        extensions: [...leafExtensions(), issuer.keyId, ...extensions],
      },
      clock,
    );
    return { certificate, key: privateKeyPem(leaf.privateKey) };
  };

  return {
    certificate: own.certificate,
    key: own.key,
    issueServing: async ({ name, hosts, lifetime }) =>
      issue({
        subject: nameOf(required("name", name)),
        lifetime,
        extensions: [
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
          new SubjectAlternativeNameExtension([...parseHosts(hosts)]),
        ],
      }),
    issueClient: async ({ user, groups = [], lifetime }) =>
      issue({
        subject: nameOf(
          required("user", user),
          groups.map((group) => required("groups", group)),
        ),
        lifetime,
        extensions: [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])],
      }),
    sign: async ({ request, usages, lifetime }) => {
      const serial = serialNumber(random);
      const issuer = await issuerOf();
      return await signCertificate(
        {
          serialNumber: serial,
          subject: new Name(Buffer.from(request.subject)),
          issuer: issuer.name,
          validity: validityFrom(clock, lifetime, validityOf(own.certificate)),
          publicKey: importPublicKey(request.publicKey),
          signingKey: keys.privateKey,
          extensions: [...requestedExtensions(request, usages), issuer.keyId],
        },
        clock,
      );
    },
  };
}

/** What certificates say of who has signed them. */
interface Issuer {
  readonly name: Name;
  readonly keyId: Extension;
}

async function findIssuer(certificate: string, clock: Clock): Promise<Issuer> {
  const issuer = new ParsedCertificate(certificate);
  return { name: issuer.subjectName, keyId: await keyIdOf(issuer, clock) };
}

/** As the authority's own certificate says it: how it is derived from the key is the choice of whoever made it. */
async function keyIdOf(issuer: ParsedCertificate, clock: Clock): Promise<Extension> {
  const own = issuer.getExtension(SubjectKeyIdentifierExtension);
  if (own !== null) return new AuthorityKeyIdentifierExtension(own.keyId);
  return clock.track(AuthorityKeyIdentifierExtension.create(issuer.publicKey));
}

interface Leaf {
  readonly subject: Name;
  readonly lifetime: number | undefined;
  readonly extensions: readonly Extension[];
}

function leafExtensions(): readonly Extension[] {
  return [
    new BasicConstraintsExtension(false, undefined, true),
    // All that TLS does with an elliptic key.
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
  ];
}

function required(field: string, value: string): string {
  if (value === "") throw new PkiError(`${field}: must not be empty`);
  return value;
}
