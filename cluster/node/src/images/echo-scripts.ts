/**
 * Listens on `$PORT` (80) and starts the other script for each connection. Stops at once when it is told to. Many may
 * connect at once: BusyBox' own server lets two wait, and the others are broken off when it is slow.
 */
export const serveScript = `#!/bin/sh
echo "answering on port \${PORT:-80}"
exec tcpserver -H -R -l 0 -b 250 -c 250 0 "\${PORT:-80}" /usr/bin/answer
`;

/** Answers any request with 200 and a line that says who answered what. */
export const answerScript = `#!/bin/sh
return=$(printf '\\r')
read -r method path version || exit 0
length=0
while IFS= read -r line; do
  line=\${line%"$return"}
  [ -n "$line" ] || break
  case "$line" in
    [Cc]ontent-[Ll]ength:*) length=$(echo "\${line#*:}" | tr -cd 0-9) ;;
  esac
done
[ "$length" = 0 ] || head -c "$length" >/dev/null
body="$(hostname) $method $path"
printf 'HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: %d\\r\\nConnection: close\\r\\n\\r\\n' \\
  $((\${#body} + 1))
[ "$method" = HEAD ] || echo "$body"
`;
