# python3 check_trail.py VKEY CHECKPOINT ENTRIES    an export against a checkpoint
# python3 check_trail.py VKEY PROOF LOG             a proof against a log
import base64, hashlib, json, sys

vkey, first, second = sys.argv[1:]
def check(holds, why): holds or sys.exit("WRONG: " + why)
def object_of(pairs): return check(len(dict(pairs)) == len(pairs), "a name twice") or dict(pairs)
# RFC 6962, section 2.1: a leaf is hashed after a byte 0, two subtrees after a byte 1.
def leaf_hash(entry): return hashlib.sha256(b"\0" + entry).digest()
def node_hash(left, right): return hashlib.sha256(b"\1" + left + right).digest()
def root_of_all(entries):
    subtrees = []  # perfect ones: size and hash, each smaller than the one before it
    for entry in entries:
        size, hash = 1, leaf_hash(entry)
        while subtrees and subtrees[-1][0] == size:
            size, hash = size * 2, node_hash(subtrees.pop()[1], hash)
        subtrees.append((size, hash))
    hash = subtrees.pop()[1] if subtrees else hashlib.sha256().digest()
    while subtrees: hash = node_hash(subtrees.pop()[1], hash)
    return hash
def climb(index, size, entry, siblings):
    hash, last = leaf_hash(entry), size - 1
    while last > 0:  # index and last climb together; their parents have half their numbers
        if index % 2 == 1: hash = node_hash(siblings.pop(0), hash)
        elif index < last: hash = node_hash(hash, siblings.pop(0))
        index, last = index // 2, last // 2
    return hash
# Ed25519, RFC 8032, section 5.1, slow and simple.
p, order = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
d = -121665 * pow(121666, -1, p) % p
def add(a, b):
    (x, y), (u, v) = a, b
    t = d * x * u * y * v
    return (x * v + u * y) * pow(1 + t, -1, p) % p, (y * v + x * u) * pow(1 - t, -1, p) % p
def times(n, point):
    if n == 0: return 0, 1
    half = times(n // 2, add(point, point))
    return add(half, point) if n % 2 else half
def point_of(data):
    y, sign = int.from_bytes(data, "little") % 2**255, data[31] >> 7
    square = (y * y - 1) * pow(d * y * y + 1, -1, p) % p
    x = pow(square, (p + 3) // 8, p)
    if (x * x - square) % p: x = x * pow(2, (p - 1) // 4, p) % p
    check((x * x - square) % p == 0, "not a point of the curve")
    return x if x % 2 == sign else p - x, y
def is_signed(key, text, signature):
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    h = int.from_bytes(hashlib.sha512(r + key + text).digest(), "little") % order
    base = point_of(b"\x58" + b"\x66" * 31)
    return s < order and times(s, base) == add(point_of(r), times(h, point_of(key)))

# C2SP signed-note and tlog-checkpoint.
def open_checkpoint(note):
    name, id, key = vkey.split("+", 2)
    end = note.rindex(b"\n\n") + 1
    text, lines = note[:end], note[end + 1 :].decode().split("\n")
    signed = [base64.b64decode(line.split(" ")[2]) for line in lines if line.startswith(f"— {name} ")]
    origin, size, root = text.decode().split("\n")[:3]
    own = [each[4:] for each in signed if each[:4].hex() == id and origin == name]
    check(any(is_signed(base64.b64decode(key)[1:], text, each) for each in own), "it is not signed by this key")
    return int(size), base64.b64decode(root)

text = open(first, "rb").read()
if text.startswith(b"c2sp.org/tlog-proof@v1\n"):
    proof, note = text.split(b"\n\n", 1)
    _, extra, index, *hashes = proof.decode().split("\n")
    (size, root), entry, at = open_checkpoint(note), base64.b64decode(extra[6:]), int(index[6:])
    siblings = [base64.b64decode(hash) for hash in hashes]
    check(at < size and climb(at, size, entry, siblings) == root and not siblings, "the proof does not hold")
    recorded, log = [json.loads(text, object_pairs_hook=object_of) for text in (entry, open(second, "rb").read())]
    shown = {"kind": "log", "recordedAt": recorded["recordedAt"], **log}  # the API does not return these two
    if recorded.get("performedByName") is None: shown["performedByName"] = None  # not kept before the trail began
    for field, value in [*recorded.items(), ("kind", "log")]:
        check(repr(value) == repr(shown.get(field)), f"{field} was recorded as {value!r}")
    print(f"The log is as it was recorded at {recorded['recordedAt']}.")
else:
    size, root = open_checkpoint(text)
    entries = open(second, "rb").read().split(b"\n")[:size]
    check(root_of_all(entries) == root, "the entries are not those that were signed")
    print(f"The first {size} entries are those that were signed.")
