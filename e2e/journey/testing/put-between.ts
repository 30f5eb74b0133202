/** The same part, with some of its members in other hands. The rest goes to the part itself, private fields included. */
export function putBetween<T extends object>(part: T, members: Partial<T>): T {
  return new Proxy(part, {
    get(target, name): unknown {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
