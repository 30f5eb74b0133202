import type { ClientConfig, Credentials, Identity } from "../config/types.ts";
import { testPem } from "./certificates.ts";

/** A configuration for a server of these tests, which trusts its authority and shows this identity. */
export function testConfig(
  server: string,
  overrides: Partial<ClientConfig> & { identity?: Identity } = {},
): ClientConfig {
  const { identity = {}, ...rest } = overrides;
  return {
    server,
    trust: { ca: testPem("ca.pem") },
    credentials: fixedCredentials(identity),
    namespace: "default",
    source: "test",
    ...rest,
  };
}

function fixedCredentials(identity: Identity): Credentials {
  return { current: () => Promise.resolve(identity), refused: () => false };
}
