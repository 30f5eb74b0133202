/** Imported before a program: names on standard error each file that it loads, in lines that begin with `loads `. */
import { registerHooks } from "node:module";

registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) process.stderr.write(`loads ${url}\n`);
    return next(url, context);
  },
});
