import * as z from "zod";

const password = z.object({
  secret: z.string().min(1).max(253).describe("The name of a Secret of the same namespace."),
  key: z.string().min(1).max(253).default("password").describe("The key of the password in it."),
});

const patterns = z.array(z.string().min(1).max(512)).max(64);

const user = z.object({
  name: z.string().min(1).max(64).describe("What clients log in as."),
  enabled: z
    .boolean()
    .default(true)
    .describe("False: nobody can log in as it, and who has is cut off. It stays for later."),
  commands: z
    .array(z.string().min(2).max(128))
    .max(256)
    .optional()
    .describe("What it may do, as rules of an ACL, in their order: +@read, -keys. Default: nothing."),
  keys: patterns.optional().describe("Patterns of keys that it may read and write: shop:*."),
  readKeys: patterns.optional().describe("Patterns of keys that it may only read. Redis 7 or newer."),
  writeKeys: patterns.optional().describe("Patterns of keys that it may only write. Redis 7 or newer."),
  channels: patterns.optional().describe("Patterns of channels that it may use."),
  passwords: z
    .array(password)
    .min(1)
    .max(8)
    .describe("Where its passwords are: it may log in with any of them."),
});

/** `spec.users` */
export const users = z.array(user).max(64);

/** A user of the spec. */
export type UserSpec = z.infer<typeof user>;
