import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto";

/** A key that signs tokens, and what proves it. */
export class TokenKeys {
  readonly #private: KeyObject;
  readonly #public: KeyObject;
  /** The name of the key in tokens. */
  readonly id: string;
  /** RS256 or ES256. */
  readonly algorithm: string;

  /** `key` is a private key in PEM: RSA, or of the curve P-256. Throws when it is neither. */
  constructor(key: string) {
    this.#private = createPrivateKey(key);
    this.#public = createPublicKey(this.#private);
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = this.#private;
    const isCurve = type === "ec" && details?.namedCurve === "prime256v1";
    if (type !== "rsa" && !isCurve)
      throw new Error(`the key of service accounts: is ${type ?? "of no type"}, must be RSA or P-256`);
    this.algorithm = isCurve ? "ES256" : "RS256";
    const spki = this.#public.export({ type: "spki", format: "der" });
    this.id = createHash("sha256").update(spki).digest("base64url");
  }

  /** A token with these claims. */
  sign(claims: Readonly<Record<string, unknown>>): string {
    const signed = `${encoded({ alg: this.algorithm, kid: this.id })}.${encoded(claims)}`;
    const key = { key: this.#private, dsaEncoding: "ieee-p1363" } as const;
    return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
  }

  /** What a token claims, if this key signed it; else undefined. */
  claimsOf(token: string): unknown {
    const [header = "", payload = "", signature = "", ...more] = token.split(".");
    if (more.length > 0 || signature === "") return undefined;
    const { alg, kid } = (decoded(header) ?? {}) as { readonly alg?: unknown; readonly kid?: unknown };
    if (alg !== this.algorithm || (kid !== undefined && kid !== this.id)) return undefined;
    const key = { key: this.#public, dsaEncoding: "ieee-p1363" } as const;
    const bytes = Buffer.from(`${header}.${payload}`);
    if (!verify("sha256", bytes, key, Buffer.from(signature, "base64url"))) return undefined;
    return decoded(payload);
  }

  /** The public key, as others read it who verify tokens by themselves. */
  get jwk(): Readonly<Record<string, unknown>> {
    return { use: "sig", ...this.#public.export({ format: "jwk" }), kid: this.id, alg: this.algorithm };
  }
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}
