/** What stands in the place of a value that is nobody's business. */
const redacted = "REDACTED";

/** Where values are, in objects of these kinds. */
const dataFields = ["data", "stringData", "binaryData"];
const secretResources = new Set(["secrets", "configmaps"]);
/** `kubectl apply` keeps a whole copy of what it sent there. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Which resource an object was sent to, or came from. */
export interface Redacting {
  readonly plural: string;
  readonly subresource: string;
  readonly omitManagedFields: boolean;
}

/**
 * An object, list or patch as the audit log shows it: without values of Secrets and ConfigMaps, without tokens, and without
 * managedFields where the policy says so. Never changes what it is given.
 */
export function redact(value: unknown, redacting: Redacting): unknown {
  if (Array.isArray(value)) return value.map((operation) => redactOperation(operation, redacting));
  if (!isRecord(value)) return value;
  const shown = { ...value };
  const { items, rows } = value;
  if (Array.isArray(items)) shown["items"] = items.map((item) => redact(item, redacting));
  if (Array.isArray(rows)) shown["rows"] = rows.map((row) => redactRow(row, redacting));
  if (isRecord(shown["metadata"])) shown["metadata"] = metadataOf(shown["metadata"], redacting);
  if (isSecret(redacting)) {
    for (const field of dataFields) if (field in shown) shown[field] = valuesRedacted(shown[field]);
  }
  // TokenRequest answers with one, TokenReview is asked about one.
  for (const field of ["spec", "status"]) {
    const part = shown[field];
    if (isRecord(part) && "token" in part) shown[field] = { ...part, token: redacted };
  }
  return shown;
}

/** A row of a table, which may have the whole object with it. */
function redactRow(row: unknown, redacting: Redacting): unknown {
  return isRecord(row) && "object" in row ? { ...row, object: redact(row["object"], redacting) } : row;
}

/** A step of a JSON patch. */
function redactOperation(operation: unknown, redacting: Redacting): unknown {
  return isSecret(redacting) && isRecord(operation) && "value" in operation
    ? { ...operation, value: redacted }
    : operation;
}

function metadataOf(metadata: Record<string, unknown>, redacting: Redacting): Record<string, unknown> {
  const shown = { ...metadata };
  if (redacting.omitManagedFields) delete shown["managedFields"];
  const { annotations } = shown;
  if (isSecret(redacting) && isRecord(annotations) && lastApplied in annotations)
    shown["annotations"] = { ...annotations, [lastApplied]: redacted };
  return shown;
}

function valuesRedacted(data: unknown): unknown {
  if (!isRecord(data)) return redacted;
  return Object.fromEntries(Object.keys(data).map((name) => [name, redacted]));
}

function isSecret({ plural }: Redacting): boolean {
  return secretResources.has(plural);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
