import { createPrivateKey, createPublicKey, KeyObject, type X509Certificate } from "node:crypto";
import type { Clock } from "@kedge/machinery";
import { PkiError } from "./pki-error.ts";

/** A key as WebCrypto knows it. */
export type CryptoKey = ReturnType<KeyObject["toCryptoKey"]>;

/** Both halves of a key. */
export interface KeyPair {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

type Algorithm = Parameters<KeyObject["toCryptoKey"]>[0];

const p256 = { name: "ECDSA", namedCurve: "P-256" };

/** A new key, ECDSA on P-256: what everything that speaks TLS verifies quickly. */
export function generateKeyPair(clock: Clock): Promise<KeyPair> {
  return clock.track(crypto.subtle.generateKey(p256, true, ["sign", "verify"]));
}

/** A new private key as PEM, for what needs no certificate: the tokens of service accounts. */
export async function createSigningKey(clock: Clock): Promise<string> {
  return privateKeyPem((await generateKeyPair(clock)).privateKey);
}

/** The private half as PEM, PKCS #8. */
export function privateKeyPem(key: CryptoKey): string {
  return KeyObject.from(key).export({ type: "pkcs8", format: "pem" }).toString();
}

/** Reads the key of a certificate, in whatever PEM form, and checks that it belongs to it. */
export function loadKeyPair(pem: string, certificate: X509Certificate): KeyPair {
  const privateKey = parsePrivateKey(pem);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new PkiError("key: does not belong to the certificate; give the two that were made together");
  }
  const algorithm = signingAlgorithmOf(privateKey);
  return {
    privateKey: privateKey.toCryptoKey(algorithm, true, ["sign"]),
    publicKey: certificate.publicKey.toCryptoKey(algorithm, true, ["verify"]),
  };
}

/** Reads a public key in DER. */
export function importPublicKey(der: Uint8Array): CryptoKey {
  const key = createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  return key.toCryptoKey(signingAlgorithmOf(key), true, ["verify"]);
}

function parsePrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new PkiError("key: is not a private key in PEM without a password", { cause });
  }
}

function signingAlgorithmOf(key: KeyObject): Algorithm {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType === "rsa") return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  if (curve === "prime256v1") return p256;
  if (curve === "secp384r1") return { name: "ECDSA", namedCurve: "P-384" };
  if (curve === "secp521r1") return { name: "ECDSA", namedCurve: "P-521" };
  if (key.asymmetricKeyType === "ed25519") return { name: "Ed25519" };
  const type = [key.asymmetricKeyType, curve].filter((part) => part !== undefined).join(" ");
  throw new PkiError(`key: ${type} cannot sign here; use RSA, Ed25519, or EC on P-256, P-384 or P-521`);
}
