const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * The shell script that the local Browser Rendering binding starts instead of its own browser.
 *
 * The browser leads its own process group, so it would survive a killed service. A watcher ends the group together with
 * the process that started it.
 *
 * The binding reads the output of the browser only until it contains its address. Later messages would fill the pipe
 * and block the browser, so another process reads the rest.
 * @param {string} browser path of the program
 * @param {string[]} args more arguments, in which %p is replaced by the browser's process id
 */
export const launcher = (browser, args) => `#!/bin/sh
[ "$(id -u)" = 0 ] && set -- --no-sandbox "$@"
(while kill -0 "$PPID" && kill -0 "$$"; do sleep 1; done; kill -KILL "-$$") </dev/null >/dev/null 2>&1 &
said=$(mktemp -d) && mkfifo "$said/pipe" || exit 1
# Opened both ways first, or each end would wait for the other.
exec 3<>"$said/pipe" 4<"$said/pipe" 5>"$said/pipe" 3>&-
rm -r "$said"
while IFS= read -r line; do
  printf '%s\\n' "$line"
  case $line in "DevTools listening on "*) exec cat >/dev/null ;; esac
done <&4 >&2 5>&- &
exec ${[browser, ...args].map((arg) => quote(arg).replaceAll("%p", () => `'"$$"'`)).join(" ")} "$@" 2>&5 4<&- 5>&-
`;
