"""A client in Python, without packages. docs/clients.md explains it."""

import http.client, json, os, re, sys, time, uuid
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import Request, urlopen

API = os.environ.get("ORIGIN", "http://127.0.0.1:7070") + "/api/v1/"
CREDENTIALS = {"email": os.environ["EMAIL"], "password": os.environ["PASSWORD"]}
token = None


class Failure(Exception):
    """A response that is not a success."""

    def __init__(self, error):
        self.status, self.headers = error.code, error.headers
        self.body = error.read().decode(errors="replace")
        super().__init__(f"{self.status} {self.body}")


def send_once(method, address, body=None, headers={}):
    headers = {"Content-Type": "application/json", **headers}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
    try:
        with urlopen(Request(address, data, headers, method=method), timeout=10) as response:
            return json.load(response), response.headers
    except HTTPError as error:
        raise Failure(error) from None


def log_in():
    global token
    token = None
    token = send_once("POST", API + "auth/login", CREDENTIALS)[0]["token"]


def with_token(*request, **rest):
    if token is None:
        log_in()
    try:
        return send_once(*request, **rest)
    except Failure as failure:
        if 'error="invalid_token"' not in failure.headers.get("WWW-Authenticate", ""):
            raise
    log_in()
    return send_once(*request, **rest)


def send(*request, **rest):
    """Returns body and headers. Repeats the request while that may help: send only what is safe to repeat."""
    for wait in (1, 2, 4, 8, 16, None):
        try:
            return with_token(*request, **rest)
        except Failure as failure:
            if wait is None or failure.status not in (408, 429, 502, 503, 504):
                raise
            asked = failure.headers.get("Retry-After", "")
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
    new = queue / f"{uuid.uuid4()}.new"
    new.write_text(json.dumps({"asset": asset_id, "log": log}))
    new.rename(new.with_suffix(".json"))


def write_queued(queue):
    """Writes what is in the queue. Puts aside those that the service refuses: correct them."""
    for file in queue.glob("*.json"):
        queued = json.loads(file.read_text())
        address = f"{API}assets/{queued['asset']}/logs"
        try:
            written, _ = send("POST", address, body=queued["log"], headers={"Idempotency-Key": file.stem})
        except Failure as failure:
            if token is None or failure.status not in (400, 404, 413, 422):  # None: the login has failed
                raise
            print(failure, file=sys.stderr)
            file.rename(file.with_suffix(".refused"))
        else:
            file.unlink()
            yield written


def logs_of(path):
    """Every log of a list, a page at a time."""
    address = urljoin(API, path)
    while address:
        page, headers = send("GET", address)
        yield from page
        address = following(address, headers)


def follow_trail(address=API + "trail/entries?from=0&limit=1000"):
    """The entries that follow, and the address for a later call: keep it."""
    entries, headers = send("GET", address)
    return entries, following(address, headers)


queue = Path("queue")
queue.mkdir(exist_ok=True)
enqueue(queue, 1, {
    "performedDate": "2026-11-21T09:30", "status": "COMPLETED", "taskType": "MAINTENANCE", "comment": "Oil changed"})
for log in write_queued(queue):
    print("written", log["id"])
for log in logs_of("logs?limit=2"):
    print("listed", log["id"])
entries, address = follow_trail()
while entries:
    for item in entries:
        print("entry", item["index"], item["entry"]["kind"])
    entries, address = follow_trail(address)
