import * as z from "zod";
import type { DeepReadonly } from "@kedge/machinery";

const account = z.object({
  hashes: z.array(z.string()),
  old: z.array(z.object({ hash: z.string(), until: z.number() })),
});

/** Who may log in with what, as it is kept in the Secret of the system. */
export const credentialState = z.object({
  /** Tells the users of this Secret from those of another one, which volumes may remember. */
  id: z.string(),
  /** Grows with each change of what servers are to know. */
  generation: z.int(),
  /** What the keys of the last generation were, as a hash. */
  fingerprint: z.string(),
  accounts: z.record(z.string(), account),
  /** What users of the spec may do, as a server has accepted it: words of an ACL rule. */
  users: z.record(z.string(), z.object({ isEnabled: z.boolean(), rules: z.string() })),
});

/** Who may log in with what. */
export type CredentialState = DeepReadonly<z.infer<typeof credentialState>>;

/** What a user of the spec may do. */
export type AcceptedUser = CredentialState["users"][string];
