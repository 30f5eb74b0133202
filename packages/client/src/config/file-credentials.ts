import type { Clock } from "@kedge/machinery";
import { bearer } from "./bearer.ts";
import { pairOf, readPem, type PemSource } from "./pem.ts";
import { placeError } from "./place.ts";
import { readReferencedFile, type FileReference } from "./read-file.ts";
import { RenewingCredentials, type Renewed } from "./renewing-credentials.ts";
import type { ClientCertificate, Credentials, Identity } from "./types.ts";

/** An identity that is made of fixed parts and of files that somebody rotates. */
export interface IdentityParts {
  /** The `authorization` header; with a token file: used until that could be read. */
  readonly authorization?: string | undefined;
  readonly tokenFile?: FileReference | undefined;
  readonly certificate?: { readonly certificate: PemSource; readonly key: PemSource } | undefined;
}

/** An identity that never changes. */
export function fixedCredentials(identity: Identity): Credentials {
  return { current: () => Promise.resolve(identity), refused: () => false };
}

/**
 * Credentials from files: token files are read again after a minute, certificates after ten seconds, both at once
 * after a 401. While a file cannot be read, or certificate and key do not fit (the rotation is half done), what was
 * read before is used.
 */
export async function fileCredentials(parts: IdentityParts, clock: Clock): Promise<Credentials> {
  const files = [parts.tokenFile?.file, parts.certificate?.certificate.file, parts.certificate?.key.file];
  if (files.every((file) => file === undefined)) return fixedCredentials(await readIdentity(parts, clock));
  let source = parts;
  const credentials = new RenewingCredentials({
    clock,
    what: `reading ${files.filter((file) => file !== undefined).join(", ")}`,
    renew: async () => {
      const identity = await readIdentity(source, clock);
      // What a token file once gave is newer than the token beside it, also when the file is gone again.
      if (identity.authorization !== parts.authorization) source = { ...parts, authorization: undefined };
      return freshFor(identity, parts, clock);
    },
  });
  await credentials.current();
  return credentials;
}

/** Half of the time between kubelet's renewal of a ten-minute token and its end. */
const tokenPeriodMs = 60_000;
const certificatePeriodMs = 10_000;

function freshFor(identity: Identity, parts: IdentityParts, clock: Clock): Renewed {
  const period = parts.certificate === undefined ? tokenPeriodMs : certificatePeriodMs;
  const end = clock.monotonic() + period;
  return { identity, isFresh: () => clock.monotonic() < end, isUsable: () => true };
}

async function readIdentity(parts: IdentityParts, clock: Clock): Promise<Identity> {
  const [authorization, clientCertificate] = await Promise.all([
    readAuthorization(parts, clock),
    readCertificate(parts, clock),
  ]);
  return {
    ...(authorization !== undefined && { authorization }),
    ...(clientCertificate !== undefined && { clientCertificate }),
  };
}

async function readAuthorization(parts: IdentityParts, clock: Clock): Promise<string | undefined> {
  if (parts.tokenFile === undefined) return parts.authorization;
  try {
    return await readToken(parts.tokenFile, clock);
  } catch (error) {
    if (parts.authorization === undefined) throw error;
    return parts.authorization;
  }
}

async function readToken(reference: FileReference, clock: Clock): Promise<string> {
  const token = (await readReferencedFile(reference, clock)).trim();
  if (token === "") throw placeError(reference.place, `${reference.file} is empty: it must hold a token`);
  return bearer(token, reference.place);
}

async function readCertificate(parts: IdentityParts, clock: Clock): Promise<ClientCertificate | undefined> {
  if (parts.certificate === undefined) return undefined;
  const [certificate, key] = await Promise.all([
    readPem(parts.certificate.certificate, clock),
    readPem(parts.certificate.key, clock),
  ]);
  return pairOf(certificate, key, parts.certificate);
}
