/** The texts of Go's YAML parser for the errors that people make; for others, what our parser calls them. */
export function yamlErrorText(code: string, text: string): string {
  const line = text.trimEnd().split("\n").length;
  const open = unclosed(text);
  if (open === undefined) return `yaml: line ${line}: ${code.toLowerCase().replaceAll("_", " ")}`;
  if (open.slice(1).trim() === "") return `yaml: line ${line}: did not find expected node content`;
  return `yaml: line ${line}: did not find expected ',' or '${open.startsWith("[") ? "]" : "}"}'`;
}

/** The text from the first bracket that none closes after it. */
function unclosed(text: string): string | undefined {
  const tail = text.slice(Math.max(text.lastIndexOf("]"), text.lastIndexOf("}")) + 1);
  const start = tail.search(/[[{]/u);
  return start < 0 ? undefined : tail.slice(start);
}
