/** Takes user name and password out of what should be a URL, so that it can be shown. */
export function redactUrl(value: string): string {
  return value.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, "$1***@");
}

/**
 * Takes out of a program's output what may be a secret: the given values, and what looks like a token, a key or a
 * password. Control characters go too, since the text ends up on terminals.
 */
export function redactOutput(text: string, secrets: Iterable<string>): string {
  let shown = withoutControls(text);
  for (const secret of secrets) {
    if (secret.length >= shortestSecret) shown = shown.replaceAll(secret, "***");
  }
  for (const shape of secretShapes) shown = shown.replaceAll(shape, "$1***");
  return shown;
}

/** Removes terminal escape sequences and control characters but for line breaks and tabs. */
export function withoutControls(text: string): string {
  return text.replaceAll(terminalSequences, "").replaceAll(controls, "");
}

/** Shorter values would blank out ordinary words, and are no secrets. */
const shortestSecret = 6;

/** Group 1 is kept. */
const secretShapes = [
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /()\beyJ[\w-]{8,}(?:\.[\w-]*){1,4}/g,
  /()\bk8s-aws-v1\.[\w-]+/g,
  /\b((?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi,
  /(\/\/)[^\s@]+(?=@)/g,
  /((?:token|secret|password|clientKeyData)["']?\s*[:=]\s*["']?)[^\s"',;}]{6,}/gi,
];

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const terminalSequences = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
