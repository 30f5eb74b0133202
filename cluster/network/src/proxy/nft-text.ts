/** The nftables object of a name with a type and elements, as lines of a table. */
export function nftMap(name: string, key: string, elements: readonly string[]): readonly string[] {
  return block(`map ${name}`, [`type ${key} : verdict`], elements);
}

/** A set of fixed elements. */
export function nftSet(name: string, key: string, elements: readonly string[]): readonly string[] {
  return block(`set ${name}`, [`type ${key}`], elements);
}

/** A set that rules add to, and that forgets what was not seen for so long. */
export function nftMemory(name: string, key: string, seconds: number): readonly string[] {
  return block(
    `set ${name}`,
    [`type ${key}`, "flags dynamic,timeout", `timeout ${seconds}s`, "size 65535"],
    [],
  );
}

/** A chain with its rules. */
export function nftChain(name: string, rules: readonly string[]): readonly string[] {
  return [`  chain ${name} {`, ...rules.map((rule) => `    ${rule}`), "  }"];
}

function block(head: string, properties: readonly string[], elements: readonly string[]): readonly string[] {
  const lines = [`  ${head} {`, ...properties.map((property) => `    ${property}`)];
  if (elements.length > 0) lines.push(`    elements = { ${elements.join(", ")} }`);
  return [...lines, "  }"];
}
