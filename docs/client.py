"""A client in Python, without packages. docs/clients.md explains it."""

import http.client, json, os, re, sys, time, uuid
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import HTTPRedirectHandler, Request, build_opener

API = os.environ.get("ORIGIN", "http://127.0.0.1:7070") + "/api/v1/"
CREDENTIALS = {"email": os.environ["EMAIL"], "password": os.environ["PASSWORD"]}
TIMEOUT = float(os.environ.get("TIMEOUT", 10))  # seconds without a byte
token = None


class Response(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: object  # what the JSON says, or else bytes: none with 204


class Failure(Exception):
    """A response that is not a success."""

    def __init__(self, response):
        super().__init__(f"{response.status} {response.body.decode(errors='replace')}")
        self.response = response


class NoRedirects(HTTPRedirectHandler):
    """The service never redirects. A proxy that does would get the token at another address."""

    def redirect_request(self, *_):
        return None


opener = build_opener(NoRedirects)


def send_once(method, address, body=None, headers={}):
    headers = {"Content-Type": "application/json", **headers}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = body if body is None or isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    try:
        answer = opener.open(Request(address, data, headers, method=method), timeout=TIMEOUT)
    except HTTPError as error:
        answer = error
    with answer:
        response = Response(answer.status, answer.headers, answer.read())
    if response.status >= 300:
        raise Failure(response)
    content_type = response.headers.get_content_type()
    if content_type == "text/html":
        raise http.client.HTTPException("the response is a page of a proxy, not of the service")
    if response.body and content_type == "application/json":
        return response._replace(body=json.loads(response.body))
    return response


def log_in():
    global token
    token = None
    token = send_once("POST", API + "auth/login", CREDENTIALS).body["token"]


def with_token(*request, **rest):
    if token is None:
        log_in()
    try:
        return send_once(*request, **rest)
    except Failure as failure:
        if 'error="invalid_token"' not in failure.response.headers.get("WWW-Authenticate", ""):
            raise
    log_in()
    return send_once(*request, **rest)


def send(*request, **rest):
    """Repeats the request while that may help: send only what is safe to repeat."""
    for wait in (1, 2, 4, 8, 16, None):
        try:
            return with_token(*request, **rest)
        except Failure as failure:
            if wait is None or failure.response.status not in (408, 429, 502, 503, 504):
                raise
            asked = failure.response.headers.get("Retry-After", "")
            if asked.isdigit():  # only proxies send a date
                wait = max(wait, int(asked))
        except (OSError, http.client.HTTPException):  # no response, or half of one
            if wait is None:
                raise
        time.sleep(wait)


def following(address, headers):
    link = re.search('<([^>]+)>; rel="next"', headers.get("Link", ""))
    return link and urljoin(address, link[1])


def enqueue(queue, asset_id, log):
    """Stores a log with its key, so that it is written once even if this process is killed. A queue belongs to one employee."""
    new = queue / f"{asset_id}-{uuid.uuid4()}.new"
    with new.open("w", encoding="utf-8") as file:
        json.dump(log, file, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    new.rename(new.with_suffix(".json"))


def write_queued(queue):
    """Writes what is in the queue, the oldest first. Puts aside what the service refuses: correct it."""
    for file in sorted(queue.glob("*.json"), key=lambda file: file.stat().st_mtime_ns):
        asset_id, key = file.stem.split("-", 1)
        try:
            response = send("POST", f"{API}assets/{asset_id}/logs", file.read_bytes(), {"Idempotency-Key": key})
        except Failure as failure:
            if token is None or failure.response.status not in (400, 404, 413, 422):  # None: the login has failed
                raise
            print(failure, file=sys.stderr)
            file.rename(file.with_suffix(".refused"))
            continue
        if response.status != 201:
            raise RuntimeError(f"{response.status} is not of the service")
        file.unlink()
        yield response.body


def logs_of(path):
    """Every log of a list, a page at a time."""
    address = urljoin(API, path)
    while address:
        response = send("GET", address)
        yield from response.body
        address = following(address, response.headers)


TRAIL = API + "trail/entries?from=0&limit=1000"


def follow_trail(address=TRAIL):
    """The entries that follow, and the address for a later call: keep it. If the first is entry 0 again, forget your copy."""
    try:
        response = send("GET", address)
    except Failure as failure:
        if failure.response.status not in (404, 409):  # an older database was restored
            raise
        address = TRAIL
        response = send("GET", address)
    return response.body, following(address, response.headers)


# An example: put your own here.
queue = Path("queue")
queue.mkdir(exist_ok=True)
enqueue(queue, 1, {
    "performedDate": "2026-11-21T09:30", "status": "COMPLETED", "taskType": "MAINTENANCE", "comment": "Oil at 60 °C"})
for log in write_queued(queue):
    print("written", log["id"])
for log in logs_of("logs?limit=2"):
    print("listed", log["id"])
entries, address = follow_trail()
while entries:
    for item in entries:
        print("entry", item["index"], item["entry"]["kind"])
    entries, address = follow_trail(address)
