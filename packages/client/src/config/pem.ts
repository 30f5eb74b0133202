import { X509Certificate, createPrivateKey, type KeyObject } from "node:crypto";
import type { Clock } from "@kedge/machinery";
import { placeError, type Place } from "./place.ts";
import { readReferencedFile } from "./read-file.ts";
import type { ClientCertificate } from "./types.ts";

/** PEM text: given in place, or in a file. */
export interface PemSource {
  readonly place: Place;
  readonly pem: string | undefined;
  readonly file: string | undefined;
}

/** Gives the PEM text of a source, read anew when it is a file. */
export async function readPem(source: PemSource, clock: Clock): Promise<string> {
  if (source.file === undefined) return source.pem ?? "";
  return readReferencedFile({ file: source.file, place: source.place }, clock);
}

/** Certificate authorities, checked to be some. */
export async function readAuthorities(source: PemSource, clock: Clock): Promise<string> {
  const pem = await readPem(source, clock);
  parseCertificate(pem, source);
  return pem;
}

/** A certificate and its key, checked to be a pair: TLS would fail later with a message that names neither. */
export function pairOf(
  certificate: string,
  key: string,
  sources: { readonly certificate: PemSource; readonly key: PemSource },
): ClientCertificate {
  const privateKey = parseKey(key, sources.key);
  if (!parseCertificate(certificate, sources.certificate).checkPrivateKey(privateKey)) {
    throw placeError(sources.key.place, `is not the key of ${sources.certificate.place.path}`);
  }
  return { certificate, key };
}

// The causes are left out: they say nothing more, and for keys nothing of the text may leak.
function parseCertificate(pem: string, source: PemSource): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw placeError(source.place, `${nameOf(source)} is not a PEM certificate`);
  }
}

function parseKey(pem: string, source: PemSource): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw placeError(source.place, `${nameOf(source)} is not a PEM private key, or it needs a passphrase`);
  }
}

function nameOf(source: PemSource): string {
  return source.file ?? "this";
}
