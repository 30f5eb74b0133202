import type { ApiResource } from "./api-resources.ts";

/** Prints the descriptor of a kind as a constant of the kind's name. */
export function printDescriptor(resource: ApiResource): string {
  const { kind, scope, subresources } = resource;
  const subs = subresources.length === 0 ? "never" : subresources.map(quote).join(" | ");
  const members = descriptorMembers(resource).map((member) => `  ${member},\n`);
  return `export const ${kind}: Kind<${kind}, ${quote(scope)}, ${subs}> = {\n${members.join("")}};\n`;
}

/** Prints all descriptors as one array, in the order of discovery. */
export function printBuiltinKinds(resources: readonly ApiResource[]): string {
  const lines = resources.map((resource) => `  { ${descriptorMembers(resource).join(", ")} },\n`);
  return [
    'import type { Kind } from "../objects/kind.ts";\n\n',
    "/**\n",
    " * The descriptors of all built-in kinds, of several versions of a kind the preferred one first. Copies, equal to\n",
    " * those in the group versions' files, so that importing them does not load every file of types.\n",
    " */\n",
    `export const builtinKinds: readonly Kind[] = [\n${lines.join("")}];\n`,
  ].join("");
}

function descriptorMembers(resource: ApiResource): readonly string[] {
  const { group, version, kind, plural, singular, scope, shortNames, categories, subresources } = resource;
  return [
    ...Object.entries({ group, version, kind, plural, singular, scope }).map(
      ([name, value]) => `${name}: ${quote(value)}`,
    ),
    ...(shortNames.length === 0 ? [] : [`shortNames: ${printNames(shortNames)}`]),
    ...(categories.length === 0 ? [] : [`categories: ${printNames(categories)}`]),
    `subresources: ${printNames(subresources)}`,
  ];
}

function printNames(names: readonly string[]): string {
  return `[${names.map(quote).join(", ")}]`;
}

function quote(value: string): string {
  return JSON.stringify(value);
}
