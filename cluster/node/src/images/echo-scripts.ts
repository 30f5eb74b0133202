/** Listens on `$PORT` (80) and starts the other script for each connection. Stops at once when it is told to. */
export const serveScript = `#!/bin/sh
nc -ll -p "\${PORT:-80}" -e /usr/bin/answer &
trap 'kill $!; exit 0' TERM INT
echo "answering on port \${PORT:-80}"
wait $!
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
