/** Whether an error has this code, as those of the operating system have: ENOENT and so on. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
