import type { Role } from "./launch-part.ts";

/** What the process that carries out a start asks of the supervisor, and is answered. */
export interface StartRequest {
  readonly type: "launch";
  readonly role: Role;
  /** The path of the network namespace that the part is to be in. */
  readonly namespace?: string | undefined;
}

/** The supervisor's answers: how far a part is, and what became of it. */
export type StartAnswer =
  | { readonly type: "part-progress"; readonly role: Role; readonly what: string }
  | { readonly type: "launched"; readonly role: Role }
  | { readonly type: "not-launched"; readonly role: Role; readonly why: string };

/** Reads a request; undefined when it is none. */
export function startRequest(value: unknown): StartRequest | undefined {
  const { type, role, namespace } = fieldsOf(value);
  if (type !== "launch" || !isRole(role)) return undefined;
  return { type, role, ...(typeof namespace === "string" && { namespace }) };
}

/** Reads an answer; undefined when it is none. */
export function startAnswer(value: unknown): StartAnswer | undefined {
  const { type, role, what, why } = fieldsOf(value);
  if (!isRole(role)) return undefined;
  if (type === "launched") return { type, role };
  if (type === "part-progress" && typeof what === "string") return { type, role, what };
  return type === "not-launched" && typeof why === "string" ? { type, role, why } : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value ?? {}));
}

function isRole(role: unknown): role is Role {
  if (role === "server" || role === "nodes" || role === "operator") return true;
  return typeof role === "string" && role.startsWith("node/");
}
