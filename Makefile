# Needs Node 22 to 26 and make; whatever else is needed comes with npm.
.PHONY: run demo cluster test test-release test-before-release test-embedded faults bench docs screenshot golden build install uninstall deb deb-node audit check format clean node-version

installed = node_modules/.package-lock.json
# `npm ci --omit=dev` leaves this file too, but not what is needed here.
ifeq ($(wildcard node_modules/.bin/tsc),)
.PHONY: $(installed)
endif

# The service with a database of its own and a first ADMIN, on 127.0.0.1:7070, and its operations page on 7071.
run: $(installed)
	@node --import tsx dev/run/run.ts

# The same with records to look at: employees of each role, assets, logs of a year. Also beside a `make run`.
demo: $(installed)
	@node --import tsx dev/run/run.ts --demo

# docs/cluster.md on this one machine: three PostgreSQL under Patroni, HAProxy before two services.
cluster: $(installed)
	@node --import tsx dev/cluster.ts

# Types, lint and format, then the tests on the PostgreSQL there is: native, or else embedded.
test: check
	@node --import tsx test/run.ts

# What is slow and has little to do with most changes: packages, operations.md in a booted Debian, make run, PgBouncer, fuzzing,
# make audit, short faults, a planted fault of each promise. At last, with nothing else at work: what a request costs beside the last release (bench/last-release).
test-release: $(installed)
	@TEST_CONCURRENCY=3 TEST_FILE_SECONDS=1200 TEST_MINUTES=25 node --import tsx test/run.ts \
	  $$(find test/release -name '*.test.ts' -not -name major-upgrade.test.ts -not -name kotlin-client.test.ts)
	@node --import tsx bench/paired.ts

# What the gate leaves out, before a release: every planted fault, the simulations, fuzzing and kills of a restore in their long form,
# operations.md in Debian 13, major-upgrade.md, and the recipe in Kotlin, whose compiler takes long. Takes half an hour.
test-before-release: $(installed)
	@TEST_CONCURRENCY=1 TEST_FILE_SECONDS=2400 TEST_MINUTES=60 TEST_FORM=long TEST_DEBIAN=trixie node --import tsx test/run.ts \
	  $(foreach name,operations major-upgrade kotlin-client promises restore-killed fuzz numbering-simulation pool-simulation edge-simulation,test/release/$(name).test.ts)

# The repository contract and the schema, on the embedded PostgreSQL of make run. One file at a time: the server is in its process.
test-embedded: $(installed)
	@TEST_CONCURRENCY=1 TEST_DATABASE=embedded node --import tsx test/run.ts test/contract/repositories-postgres.test.ts \
	  $(foreach name,migrations promises protection,test/postgres/schema/$(name).test.ts)

# Breaks everything around the service under load; needs PostgreSQL's own programs. FAULTS="--only failover --seed 7"
faults: $(installed)
	@node --import tsx test/lab/faults/run.ts $(FAULTS)

# What the service costs, on a PostgreSQL of its own (docs/performance.md); BENCH="--docs" writes its tables there.
bench: $(installed)
	@node --import tsx bench/run.ts $(BENCH)

# What is made of README.md and docs/: pages of the API and the commands, tables, counts. A test fails when it is stale.
docs: $(installed)
	@node --import tsx dev/api-docs.ts

# docs/status-page.png: the service under the requests of `make bench`; needs Chromium and PostgreSQL, and takes ten minutes.
screenshot: $(installed)
	@node --import tsx dev/screenshot.ts

# Files that tests compare whole: sql/protection.ndjson, by which serve refuses a weaker database, and outputs beside their tests.
golden: $(installed)
	@GOLDEN=write node --import tsx test/run.ts $$(grep -rl assertGolden test --include='*.test.ts')

check: $(installed)
	@npm run --silent check

# What production runs: dist/ beside sql/, docs/api.html, docs/openapi.json and `npm ci --omit=dev`.
build: $(installed)
	@rm -rf dist
	@npm run --silent build

# The production tree below PREFIX, for a machine with systemd: `make install DESTDIR=/some/root PREFIX=/usr`.
PREFIX ?= /usr/local
NODE ?= /usr/bin/node
places = DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' NODE='$(NODE)'
install: build
	@$(places) sh deploy/install

# Removes what `make install` put there; settings and credentials stay.
uninstall:
	@$(places) sh deploy/install --remove

# The same as a Debian package with its own Node, in build/, for Debian 12 and 13. One commit gives the same bytes each time.
deb: build
	@sh deploy/build-deb

# Another Node for the package, after a security release: make deb-node VERSION=24.22.0
deb-node:
	@rm -rf build/node && mkdir -p build/node
	@npm pack --silent --pack-destination build/node $(foreach cpu,x64 arm64,node-linux-$(cpu)@$${VERSION:?is missing})
	@cd build/node && sha256sum *.tgz > ../../deploy/node.sha256

# What runs in production: known weaknesses, signatures, sizes, licences, and a bill of materials in build/.
audit: $(installed)
	@sh deploy/audit

format: $(installed)
	@npm run --silent format

clean:
	rm -rf build dist node_modules

$(installed): package.json package-lock.json | node-version
	npm ci --ignore-scripts --no-audit --no-fund
	@touch $(installed)

# Ends here, with one line, on a Node that could not run what follows.
node-version:
	@node dev/node-version.js
