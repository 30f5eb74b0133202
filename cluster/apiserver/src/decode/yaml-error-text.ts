/** The texts of Go's YAML parser for the errors that people make; for others, what our parser calls them. */
export function yamlErrorText(code: string, text: string): string {
  const line = text.trimEnd().split("\n").length;
  const [flow] = /[[{][^\]}]*$/u.exec(text) ?? [];
  if (flow === undefined) return `yaml: line ${line}: ${code.toLowerCase().replaceAll("_", " ")}`;
  if (flow.slice(1).trim() === "") return `yaml: line ${line}: did not find expected node content`;
  return `yaml: line ${line}: did not find expected ',' or '${flow.startsWith("[") ? "]" : "}"}'`;
}
