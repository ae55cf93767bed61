# A client in the shell, with curl. EMAIL and PASSWORD come from the environment. docs/clients.md explains it.
# curl reads the token and the password from files, because other users can read the arguments of a process.
ORIGIN=${ORIGIN:-http://127.0.0.1:7070}
API=$ORIGIN/api/v1
TIMEOUT=${TIMEOUT:-10} # seconds for a request
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/token"

json_text() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"; }

log_in() {
  : >"$work/token"
  printf '{"email":%s,"password":%s}' "$(json_text "$EMAIL")" "$(json_text "$PASSWORD")" >"$work/login"
  send_once POST "$API/auth/login" -H 'Content-Type: application/json' -d @"$work/login"
  sed -n 's/.*"token":"\([^"]*\)".*/Authorization: Bearer \1/p' "$work/body" >"$work/token"
  test -s "$work/token"
}

# send METHOD ADDRESS [OPTION OF CURL...]: sets STATUS, 000 without a response, and fills $work/head and $work/body.
# Repeats the request while that may help: send only what is safe to repeat.
send() {
  for back_off in 1 2 4 8 16 end; do
    if [ -s "$work/token" ] || log_in; then send_once "$@"; fi
    case $(header WWW-Authenticate) in *'error="invalid_token"'*) log_in && send_once "$@" ;; esac
    case $STATUS in
      000 | 408 | 429 | 502 | 503 | 504) ;;
      *) return ;;
    esac
    [ "$back_off" = end ] || sleep "$(longer "$back_off" "$(header Retry-After)")"
  done
}

# -q: no settings of ~/.curlrc.
send_once() {
  method=$1 address=$2
  shift 2
  [ "$method" != HEAD ] || set -- --head "$@"
  : >"$work/head" >"$work/body"
  STATUS=$(curl -q -sS --max-time "$TIMEOUT" -X "$method" -H @"$work/token" -D "$work/head" -o "$work/body" \
    -w '%{http_code}' "$@" "$address") || STATUS=000
  # A success in HTML is a page of a proxy, not of the service.
  case $STATUS$(header Content-Type) in 2??text/html*) STATUS=000 ;; esac
}

# header NAME: its value in the last response. Proxies may write the name in lower case.
header() { tr -d '\r' <"$work/head" | grep -i "^$1:" | sed 's/^[^:]*: *//' | tail -n 1; }

# A date in Retry-After counts as none: only proxies send one.
longer() { if [ "${2:-0}" -gt "$1" ] 2>"$work/none"; then echo "$2"; else echo "$1"; fi; }

failed() { echo "status $STATUS: $(cat "$work/body")" >&2 && return 1; }

queue=${QUEUE:-queue}
mkdir -p "$queue"

# enqueue ASSET_ID JSON: stores a log with its key until it is written. A queue belongs to one employee.
enqueue() {
  key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '%s' "$2" >"$queue/.$key" && sync "$queue/.$key" && mv "$queue/.$key" "$queue/$1-$key.json"
}

# write_queued: writes what is in the queue, the oldest first, and prints each log. Puts aside what the service refuses: correct it.
write_queued() {
  ls -tr "$queue" | grep '\.json$' >"$work/waiting"
  while read -r name; do
    file=$queue/$name
    name=${name%.json}
    send POST "$API/assets/${name%%-*}/logs" -H "Idempotency-Key: ${name#*-}" \
      -H 'Content-Type: application/json' --data-binary @"$file"
    [ -s "$work/token" ] || { failed || return; } # the login, not the log
    case $STATUS in
      201) cat "$work/body" && echo && rm "$file" ;;
      400 | 404 | 413 | 422) failed || mv "$file" "$file.refused" ;;
      *) failed || return ;;
    esac
  done <"$work/waiting"
}

# pages PATH: prints each page, a JSON array, on a line of its own.
pages() {
  next=$1
  while [ -n "$next" ]; do
    send GET "$ORIGIN$next"
    [ "$STATUS" = 200 ] || { failed || return; }
    cat "$work/body" && echo
    next=$(following "$next")
  done
}

# following PATH: what the response to it links to. The link and the path differ in the query alone.
following() { header Link | sed -n 's/^<[^?]*\(?[^>]*\)>; rel="next".*/\1/p' | sed "s|^|${1%%\?*}|"; }

# follow_trail FILE: prints the pages of entries that it has not printed before, each on a line, and keeps in FILE where to go on.
# If entry 0 is printed again, an older database was restored: forget your copy.
follow_trail() {
  trail='/api/v1/trail/entries?from=0&limit=1000'
  next=$(cat "$1" 2>"$work/none" || echo "$trail")
  while :; do
    send GET "$ORIGIN$next"
    case $STATUS in 404 | 409) [ "$next" = "$trail" ] || { next=$trail && continue; } ;; esac
    [ "$STATUS" = 200 ] || { failed || return; }
    [ "$(cat "$work/body")" != '[]' ] || return 0
    cat "$work/body" && echo
    next=$(following "$next")
    echo "$next" >"$1.new" && mv "$1.new" "$1"
  done
}

# An example: put your own here.
enqueue 1 '{"performedDate":"2026-11-21T09:30","status":"COMPLETED","taskType":"MAINTENANCE","comment":"Oil at 60 °C"}'
write_queued || exit
pages '/api/v1/logs?limit=2' || exit
follow_trail followed || exit
follow_trail followed
