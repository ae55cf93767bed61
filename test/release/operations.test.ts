import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before as beforeAll, describe, test } from "node:test";
import { bootDebian, type Container, noContainer } from "../support/debian-container.ts";
import { chaptersOf, password, typedInto } from "../support/pasted-page.ts";
import { copyProject, make, packageIn } from "../support/project-copy.ts";
import { packages } from "./debian-roots.ts";

const [several] = chaptersOf("docs/cluster.md");
/** Those of HTTPS and of several services come before the removal of them all. */
const chapters = chaptersOf("docs/operations.md").flatMap(chapter =>
  chapter.title === "Removal" && several ? [...chaptersOf("docs/https.md"), several, chapter] : [chapter],
);
/** Needs another server. */
const moveOfDatabase = "Move only the database";
const environment = "/etc/maintenance-log-service/environment";
const etc = "/etc/maintenance-log-service";
const dumps = "/var/lib/maintenance-log-backup";
const copies = "/mnt/copies";
const isUp =
  "curl --silent --fail --retry 60 --retry-delay 1 --retry-all-errors --max-time 10 --output /dev/null";

/** A service that has just started says so after its first poll. */
const hasWholeTrail = (port: number): string =>
  `timeout 30 sh -c 'until curl --silent http://127.0.0.1:${port}/metrics | grep "^maintenance_log_trail_condition{condition=.whole.} 1"; do sleep 0.2; done'`;

/** A person takes longer to the next block than a service that runs takes to start. */
const settled = `! systemctl is-active --quiet maintenance-log.service || ${isUp} http://127.0.0.1:7071/readyz`;

/** The first backup goes to a disk that is mounted where the page says. */
const hasDiskOfDumps = `
    mount -t tmpfs none ${dumps}
    mkdir -m 0700 ${dumps}/lost+found
    systemctl start maintenance-log-backup.service
    ls ${dumps}/*.dump
    umount ${dumps}`;

/** As earlier packages left it. */
const hasDumpsOfDynamicUser = `
    mkdir -p /var/lib/private
    mv ${dumps} /var/lib/private
    ln -s private/maintenance-log-backup ${dumps}
    (umask 077 && touch ${dumps}/maintenance-20260101T000000Z.dump)
    chown -R 64000:64000 /var/lib/private/maintenance-log-backup`;

/** A view over an extension: the backup goes on, and the test of a restore fails. */
const hasViewThatNoDumpBrings = `
    runuser -u postgres -- psql -d maintenance -c 'create extension pg_stat_statements'
    as_owner="/usr/lib/maintenance-log-service/on-database ${etc}/credentials/owner-database-url"
    $as_owner psql -c 'create view statements as select queryid from pg_stat_statements'
    systemctl start maintenance-log-backup.service
    fails systemctl start maintenance-log-restore-test.service
    $as_owner psql -c 'drop view statements'
    runuser -u postgres -- psql -d maintenance -c 'drop extension pg_stat_statements'
    sleep 1
    systemctl start maintenance-log-backup.service
    systemctl start maintenance-log-restore-test.service`;

/** Every form of DATABASE_URL that the page describes serves the service and the backup alike. */
const hasEveryUrl = `
    cp -p ${etc}/credentials/database-url /tmp/database-url
    [[ $(cat /tmp/database-url) =~ (postgres:.*)@.*/(.*) ]]
    user=\${BASH_REMATCH[1]} database=\${BASH_REMATCH[2]} tls=${etc}/database-tls
    echo 127.0.0.1 db.example.com >> /etc/hosts
    install -d -o root -g maintenance-log -m 0750 $tls
    cd $tls
    certificate() { openssl req -newkey rsa:2048 -nodes -subj "/CN=$1" -keyout "$2.key" -out "$2.pem" "\${@:3}"; }
    certificate authority ca -x509
    certificate db.example.com server -x509 -CA ca.pem -CAkey ca.key -addext subjectAltName=DNS:db.example.com
    certificate maintenance_serve client -x509 -CA ca.pem -CAkey ca.key
    chgrp maintenance-log *
    chmod 0640 client.key
    cp ca.pem /usr/local/share/ca-certificates/authority.crt
    update-ca-certificates
    data=$(echo /etc/postgresql/*/main)
    install -o postgres -m 0600 server.key server.pem ca.pem $data
    printf '%s\\n' "ssl_cert_file = '$data/server.pem'" "ssl_key_file = '$data/server.key'" "ssl_ca_file = '$data/ca.pem'" > $data/conf.d/tls.conf
    sed -i -e '1i local all maintenance_serve peer map=units' -e '1i hostssl all maintenance_serve ::1/128 cert' $data/pg_hba.conf
    echo units maintenance-log maintenance_serve >> $data/pg_ident.conf
    systemctl restart postgresql
    urls="postgres://maintenance_serve@%2Frun%2Fpostgresql/$database
      postgres://maintenance_serve@[::1]:5432/$database?sslmode=require&sslcert=$tls/client.pem&sslkey=$tls/client.key
      $user@127.0.0.1:9,127.0.0.1:5432/$database?target_session_attrs=read-write
      $user@db.example.com:5432/$database?sslmode=verify-full&sslrootcert=$tls/ca.pem
      $user@db.example.com:5432/$database?sslmode=verify-full
      $user@db.example.com:5432/$database?sslrootcert=system&sslmode=verify-ca"
    for url in $urls; do
      echo "$url" > ${etc}/credentials/database-url
      systemctl restart maintenance-log.service
      ${isUp} http://127.0.0.1:7071/readyz
      systemctl start maintenance-log-backup.service
      [[ $url != *sslcert=* ]] || systemctl start maintenance-log-verify.service
    done
    cat /tmp/database-url > ${etc}/credentials/database-url
    systemctl restart maintenance-log.service
    ${isUp} http://127.0.0.1:7071/readyz`;

/** The block of monitoring.md, and then as many failed logins as it allows, from an address of each family. */
const bansWhoGuesses = `
    ${/```sh\n(apt install -y fail2ban[\s\S]*?)```/.exec(readFileSync("docs/monitoring.md", "utf8"))?.[1]}
    until fail2ban-client status maintenance-log; do sleep 0.2; done
    for address in 192.0.2.1 2001:db8:1:2::3; do
      for attempt in {1..20}; do
        curl --silent --output /dev/null --header "X-Forwarded-For: $address" --json '{"email":"nobody@example.com","password":"wrong"}' http://127.0.0.1:7070/api/v1/auth/login
      done
    done
    for attempt in {1..100}; do
      if nft list ruleset | grep 'elements = { 192.0.2.1 }' && nft list ruleset | grep 'elements = { 2001:db8:1:2::/64 }'; then break; fi
      sleep 0.2
    done
    nft list ruleset | grep 'elements = { 2001:db8:1:2::/64 }'
    nft list ruleset | grep 'elements = { 192.0.2.1 }'
    nft list ruleset | grep -E 'tcp dport \\{ 443, 7070, 7072, 8080 \\} ip saddr'`;

/** A service that ends after each start: systemd gives up, and says so. Also where a start takes 9 s, the last is within the interval. */
const givesUpOnCrashLoop = `
    unit=/run/systemd/system/maintenance-log.service.d
    mkdir -p $unit
    limits=$(systemctl show --property StartLimitBurst,StartLimitIntervalUSec,RestartUSec maintenance-log.service | sort | xargs)
    test "$limits" = "RestartUSec=1s StartLimitBurst=30 StartLimitIntervalUSec=5min"
    printf '[Unit]\\nStartLimitBurst=3\\n[Service]\\nExecStart=\\nExecStart=/bin/sh -c "sleep 1.5; exit 1"\\n' > $unit/crash.conf
    systemctl daemon-reload
    systemctl restart maintenance-log.service
    timeout 60 sh -c 'until systemctl is-failed --quiet maintenance-log.service; do sleep 0.2; done'
    timeout 30 sh -c 'until journalctl -u alert@maintenance-log.service.service | grep -q Start; do sleep 0.2; done'`;

/** A mounted disk for copies. */
const hasCopies = `
    mkdir -p /mnt/disk ${copies}
    echo '/mnt/disk ${copies} none bind' >> /etc/fstab
    systemctl daemon-reload
    mount ${copies}`;

/** A second service, as the page makes one later: the upgrade restarts it. */
const hasSecond = `
    echo OPS_PORT=7073 > ${etc}/environment-7072
    cp -p /var/lib/maintenance-log/maintenance-log.checkpoint /var/lib/maintenance-log/maintenance-log@7072.checkpoint
    systemctl enable --now maintenance-log@7072.socket maintenance-log@7072.service
    ${isUp} http://127.0.0.1:7073/readyz
    systemctl show --property MainPID maintenance-log@7072.service > /tmp/before-upgrade`;

/** What may be read by its owner alone, and what another user of the machine may read. */
const hasModes = `
    test -z "$(find ${etc}/credentials /var/lib/maintenance-log ${dumps} -type f ! -perm 0600)"
    test -z "$(find ${etc} /var/lib/maintenance-log* /root -perm /022 ! -type l)"
    test "$(stat --dereference --format %a ${etc}/credentials /var/lib/maintenance-log ${dumps} | xargs)" = "700 700 700"
    test "$(stat --format %a ${environment})" = 644`;

/** The mail server of the page is on this machine, and keeps what it is sent. */
const hasMailServer = `
    sed -i -e 's/^host .*/host 127.0.0.1/' -e 's/^port .*/port 2525/' -e 's/^\\(tls\\|auth\\) .*/\\1 off/' /etc/msmtprc
    cat > /root/mail.cjs <<'END'
require("node:net").createServer(socket => {
  let inMail = false;
  socket.write("220 mail\\r\\n");
  socket.setEncoding("utf8").on("data", text => {
    require("node:fs").appendFileSync("/root/mail", text);
    if (inMail && !text.endsWith("\\r\\n.\\r\\n")) return;
    inMail = text === "DATA\\r\\n";
    socket.write(inMail ? "354 go on\\r\\n" : "250 mail\\r\\n");
  });
}).listen(2525, "127.0.0.1", () => require("node:fs").writeFileSync("/root/mail", ""));
END
    systemd-run --quiet --unit=mail /usr/lib/maintenance-log-service/node /root/mail.cjs
    timeout 30 sh -c 'until test -e /root/mail; do sleep 0.2; done'`;
const hasMail = (subject: string) =>
  `timeout 30 sh -c 'until grep --quiet "^Subject: ${subject} at .* failed" /root/mail; do sleep 0.2; done'`;

/** The alert reaches the mail server, by hand and for a full disk. A service that is not ready fails the same unit. */
const sendsMail = `
    ${hasMailServer}
    systemctl start alert@maintenance-log.service.service
    ${hasMail("maintenance-log.service")}
    systemctl start maintenance-log-watch.service
    mount -t tmpfs -o size=10M none ${dumps}
    head -c 9900000 /dev/zero > ${dumps}/zeros
    fails systemctl start maintenance-log-watch.service
    ${hasMail("maintenance-log-watch.service")}
    umount ${dumps}
    systemctl stop maintenance-log.service
    fails systemctl start maintenance-log-watch.service
    systemctl start maintenance-log.service
    ${hasWholeTrail(7071)}
    systemctl start maintenance-log-watch.service
    systemctl is-active maintenance-log-watch.timer
    systemctl disable --now maintenance-log-watch.timer`;

/** A CA signs the request, and another machine has an address that the page lets in. */
const hasCertificateAndNeighbour = `
    cd /root
    openssl req -x509 -newkey rsa:2048 -nodes -subj '/CN=Company CA' -keyout ca.key -out ca.pem
    openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -copy_extensions copy -out certificate.pem
    systemd-run --quiet --unit=neighbour --property=Type=exec --property=PrivateNetwork=yes sleep infinity
    neighbour=$(systemctl show --property MainPID --value neighbour)
    ip link add to-neighbour type veth peer name to-service netns $neighbour
    ip address add 10.0.0.1/24 dev to-neighbour
    ip link set to-neighbour up
    nsenter --net --target $neighbour ip address add 10.0.0.2/24 dev to-service
    nsenter --net --target $neighbour ip link set to-service up`;

/** The check of the page, from another machine: without --insecure, so the certificate has the name. */
const letsNeighbourIn = (port: number) => `
    nsenter --net --target $(systemctl show --property MainPID --value neighbour) \
      curl --silent --retry 60 --retry-delay 1 --retry-all-errors --max-time 10 --cacert /root/ca.pem \
      --resolve maintenance.example.com:${port}:10.0.0.1 https://maintenance.example.com:${port}/api/v1/assets \
      | grep '"status":403,"msg":"Token is missing"'`;

/** What has to be there for a chapter. */
const before: Readonly<Record<string, string>> = {
  "Upgrade and downgrade": hasSecond,
  "Backup and restore": hasCopies,
};

/** A machine that is switched off in a restore serves the old database whole, or the new one, and another run ends it. */
async function restoreAndReboot(container: Container): Promise<void> {
  await container.run("{ maintenance-log restore > /dev/null 2>&1 & } && sleep 1.5");
  await container.reboot();
  await container.run(`
    ${isUp} http://127.0.0.1:7071/readyz
    maintenance-log check
    ${hasWholeTrail(7071)}
    maintenance-log restore
    ${isUp} http://127.0.0.1:7071/readyz
    mountpoint ${copies}`);
}

/** What holds after a chapter; a script for root that fails where it does not. */
const afterwards: Readonly<Record<string, string>> = {
  Installation: `
    ${isUp} http://127.0.0.1:7071/
    maintenance-log check > /tmp/checked
    fails grep 'every role of this server' /tmp/checked
    test -z "$(find ${etc}/credentials -type f ! -perm 0600)"
    for unit in maintenance-log maintenance-log@7072; do
      systemctl show --property LogRateLimitIntervalUSec,LogRateLimitBurst $unit.service | sort | xargs | grep '^LogRateLimitBurst=1000000 LogRateLimitIntervalUSec=30s$'
    done
    ${hasDiskOfDumps}
    ${hasDumpsOfDynamicUser}`,
  // A wrong setting is one failure, also while a client waits, and the page says how to come back.
  Settings: `
    echo LOG_LEVEL=loud >> ${environment}
    fails maintenance-log check
    systemctl restart maintenance-log.service || true
    fails curl --silent --max-time 20 http://127.0.0.1:7070/
    systemctl is-failed maintenance-log.service
    fails systemctl is-active maintenance-log.socket
    test "$(journalctl -u maintenance-log.service | grep -c 'LOG_LEVEL is not')" = 1
    sed -i /^LOG_LEVEL=loud/d ${environment}
    maintenance-log check && systemctl restart maintenance-log.service
    ${isUp} http://127.0.0.1:7071/readyz
    for host in 127.0.0.1 [::1]; do
      test "$(curl --silent --output /dev/null --write-out '%{http_code}' "http://$host:7070/")" = 403
    done`,
  // The further service was restarted, too. One that fails is started by the next package.
  "Upgrade and downgrade": `
    dpkg -s maintenance-log-service | grep '^Version: 99'
    systemctl is-active maintenance-log.service
    ${isUp} http://127.0.0.1:7073/readyz
    fails grep -x "$(systemctl show --property MainPID maintenance-log@7072.service)" /tmp/before-upgrade
    echo LOG_LEVEL=loud >> ${etc}/environment-7072
    systemctl restart maintenance-log@7072.service || true
    timeout 30 sh -c 'until systemctl is-failed maintenance-log@7072.service; do sleep 0.2; done'
    sed -i /^LOG_LEVEL=loud/d ${etc}/environment-7072
    dpkg -i /root/maintenance-log-service_*.deb
    ${isUp} http://127.0.0.1:7073/readyz
    systemctl is-active maintenance-log@7072.socket
    ls ${dumps}/maintenance-20260101T000000Z.dump
    test -z "$(find ${dumps} ! -user maintenance-log)"`,
  // Both services work on the restored database, and the backup takes it; one that still has another makes it fail.
  "Backup and restore": `
    credentials=/etc/maintenance-log-service/credentials
    for port in 7071 7073; do ${isUp} http://127.0.0.1:$port/readyz; done
    ${hasWholeTrail(7071)}
    ${hasWholeTrail(7073)}
    test "$(runuser -u postgres -- psql -At -c "select distinct datname from pg_stat_activity where usename = 'maintenance_serve'")" = maintenance
    test "$(runuser -u postgres -- psql -At -c "select count(*) from pg_database where datname ~ '^maintenance_2'")" = 2
    systemctl disable --now maintenance-log@7072.socket maintenance-log@7072.service
    rm ${etc}/environment-7072 /var/lib/maintenance-log/maintenance-log@7072.checkpoint
    sleep 1
    touch ${dumps}/maintenance-20260101T000000Z.dump.part
    systemctl start maintenance-log-backup.service
    test -z "$(find ${dumps} -name '*.part')"
    cmp "$(ls ${dumps}/*.dump | tail -n 1)" "$(ls ${copies}/maintenance-log/dumps/*.dump | tail -n 1)"
    test ! -e ${copies}/maintenance-log/dumps/lost+found
    umount ${copies}
    fails systemctl start maintenance-log-backup.service
    test -z "$(ls ${copies})"
    mount ${copies}
    systemctl reset-failed
    for copy in 'cp -a' 'rsync -a'; do
      $copy ${dumps} /tmp/copy
      find /tmp/copy -name '*.dump' -size +10k | grep .
      rm -r /tmp/copy
    done
    pid=$(systemctl show --property MainPID --value maintenance-log.service)
    test -z "$(nsenter --target $pid --mount ls ${dumps})"
    systemctl start maintenance-log-restore-test.service
    systemctl is-active maintenance-log-restore-test.timer
    test "$(runuser -u postgres -- psql -At -c "select count(*) from pg_database where datname ~ 'restored'")" = 0
    ${hasViewThatNoDumpBrings}
    ${hasEveryUrl}
    sed -i.kept 's|/maintenance$|/maintenance_3|' $credentials/database-url
    fails systemctl start maintenance-log-backup.service
    journalctl -u maintenance-log-backup.service | grep 'database-url differ'
    mv $credentials/database-url.kept $credentials/database-url
    systemctl reset-failed`,
  "Change of SECRET_KEY": `
    sed -i /^SECRET_KEY_PREVIOUS_FILE=/d ${environment}
    maintenance-log check && systemctl restart maintenance-log.service && ${isUp} http://127.0.0.1:7071/readyz
    printf 'a new password' | maintenance-log set-password --email you@example.com
    systemctl start maintenance-log-verify.service
    as_owner="/usr/lib/maintenance-log-service/on-database /etc/maintenance-log-service/credentials/owner-database-url"
    $as_owner psql -c 'alter table employee_event disable trigger user' -c "update employee_event set role = 'MANAGER'"
    fails systemctl start maintenance-log-verify.service
    journalctl -u maintenance-log-verify.service | grep 'employee 1: '
    $as_owner psql -c "update employee_event set role = 'ADMIN'" -c 'alter table employee_event enable always trigger append_only'
    systemctl start maintenance-log-verify.service`,
  // Nothing is wrong here, so the verification that the page ends with finds nothing.
  "The provable trail": `
    test "$(wc -l < ${etc}/verifier-key)" = 2
    tar --list --gzip --file=/root/evidence.tar.gz | grep 'maintenance-log.checkpoint$'
    systemctl start maintenance-log.socket maintenance-log.service maintenance-log-backup.timer maintenance-log-verify.timer
    ${isUp} http://127.0.0.1:7071/readyz
    ${hasWholeTrail(7071)}`,
  "Freeze of the schema": `
    systemctl restart maintenance-log.service
    journalctl -u maintenance-log-migrate.service --no-pager | grep 'the schema is frozen'`,
  Alerts: `
    for name in backup restore-test; do
      systemctl show --property OnFailure maintenance-log-$name.service | grep "^OnFailure=alert@maintenance-log-$name.service.service"
    done
    ${sendsMail}`,
  "Name and certificate": hasCertificateAndNeighbour,
  // A health check does not start the service, as its socket does.
  "TLS by nginx": `
    ${letsNeighbourIn(443)}
    ${isUp} --insecure --request OPTIONS https://127.0.0.1/
    ${isUp} --insecure --request OPTIONS https://[::1]/
    for host in 127.0.0.1 [::1]; do
      test "$(curl --silent --output /dev/null --write-out '%{http_code} %{redirect_url}' --header 'Host: maintenance.example.com' "http://$host/api/v1/assets?x=1")" = "308 https://maintenance.example.com/api/v1/assets?x=1"
    done
    systemctl stop maintenance-log.service
    fails curl --silent http://127.0.0.1:7071/readyz
    sleep 1
    fails systemctl is-active maintenance-log.service
    ${isUp} --request OPTIONS http://127.0.0.1:7070/
    systemctl is-active maintenance-log.service
    ${isUp} http://127.0.0.1:7071/readyz
    ${bansWhoGuesses}`,
  // What comes after it speaks HTTP to the service again.
  "TLS without a proxy": `
    ${letsNeighbourIn(7070)}
    echo >> /etc/maintenance-log-service/tls/certificate.pem
    systemctl reload maintenance-log.service
    sleep 1
    journalctl -u maintenance-log.service | grep 'certificate renewed'
    systemctl start maintenance-log-watch.service
    openssl x509 -req -in /root/request.pem -CA /root/ca.pem -CAkey /root/ca.key -copy_extensions copy -days 13 -out /tmp/certificate.pem
    cat /tmp/certificate.pem > /etc/maintenance-log-service/tls/certificate.pem
    systemctl reload maintenance-log.service
    sleep 1
    fails systemctl start maintenance-log-watch.service
    journalctl -u maintenance-log-watch.service | grep 'maintenance_log_certificate_end_seconds [0-9]'
    systemctl reset-failed maintenance-log-watch.service
    sed -i /^TLS_/d ${environment}
    systemctl restart maintenance-log.service && ${isUp} --request OPTIONS http://127.0.0.1:7070/`,
  "Several services behind HAProxy": `
    ${isUp} --request OPTIONS http://127.0.0.1:7070/
    ${isUp} --request OPTIONS http://127.0.0.1:8080/
    for port in 7071 7073; do curl --silent http://127.0.0.1:$port/metrics | grep '^maintenance_log_trail_condition{condition="contradicted"} 0'; done`,
  Removal: `
    test -z "$(find /etc/systemd -name 'maintenance-log*')"
    test ! -e /usr/lib/maintenance-log-service
    runuser -u postgres -- psql -At -c 'select datname from pg_database; select rolname from pg_roles' > /tmp/left
    fails grep maintenance /tmp/left`,
};

/** What has to run again after a reboot that follows a chapter. */
const afterReboot: Readonly<Record<string, string>> = {
  "Freeze of the schema": `
    ${isUp} http://127.0.0.1:7071/readyz
    ${isUp} --request OPTIONS http://127.0.0.1:7070/
    systemctl is-active maintenance-log-backup.timer maintenance-log-verify.timer
    systemctl start maintenance-log-backup.service maintenance-log-verify.service`,
  "Several services behind HAProxy": `
    for port in 7071 7073; do ${isUp} http://127.0.0.1:$port/readyz; done
    for port in 7070 7072 8080; do ${isUp} --request OPTIONS http://127.0.0.1:$port/; done`,
};

/** A certificate in the current folder, as the page takes it for granted, and the packages of two versions. */
function prepare(container: Container, folder: string): void {
  const home = join(container.root, "root");
  const cn = ["-subj", "/CN=maintenance.example.com", "-days", "30", "-nodes", "-newkey", "rsa:2048"];
  const files = ["-keyout", join(home, "key.pem"), "-out", join(home, "certificate.pem")];
  execFileSync("openssl", ["req", "-x509", ...cn, ...files], { stdio: "pipe" });
  execFileSync("cp", [packageIn(folder), home]);
}

/** Of a machine that is then lost, with what came after its last dump: the dump, the archive and, from the log, the checkpoint. */
const afterLastDump = `
    systemctl start maintenance-log-backup.service
    printf 'another password' | maintenance-log create-admin --email late@example.com
    for attempt in {1..50}; do curl --silent http://127.0.0.1:7071/checkpoint | sed -n 2p | grep -x 2 && break; sleep 0.2; done
    systemctl stop maintenance-log.socket maintenance-log.service`;
const keep = `
    mkdir /root/kept
    cp -a ${dumps}/*.dump maintenance-log-kept.tar.gz /root/kept`;

/** In the group of the service is another number, which there stands for other users. */
const hasOtherGroups = "groupadd --system others-1 && groupadd --system others-2";

/** The dump lacks what came after it, and the command says so; then it is given up. */
const restoresWhatWasKept = `
    maintenance-log restore 2> /tmp/refused || true
    fails systemctl is-active maintenance-log.service maintenance-log.socket
    maintenance-log restore $(grep -o -- '--gives-up 1$' /tmp/refused)`;

/** The first ADMIN is still there, and the trail goes on under the same key. */
const hasWhatWasKept = `
    ${isUp} http://127.0.0.1:7071/readyz
    test "$(stat --format %G ${etc}/tls/key.pem)" = maintenance-log
    systemctl show --property OnFailure maintenance-log.service | grep '^OnFailure=alert@maintenance-log.service.service'
    systemctl cat alert@maintenance-log.service.service | grep sendmail
    test "$(stat --format %a /etc/msmtprc)" = 600
    login='{"email":"you@example.com","password":"${password}"}'
    curl --silent --fail --json "$login" http://127.0.0.1:7070/api/v1/auth/login | grep token
    systemctl start maintenance-log-verify.service maintenance-log-backup.service
    ${hasWholeTrail(7071)}`;

/** The same package under a higher version. */
async function upgrade(container: Container): Promise<void> {
  await container.run(`
    cd /root
    dpkg-deb -R maintenance-log-service_*.deb next && rm maintenance-log-service_*.deb
    sed -i 's/^Version: .*/Version: 99.0.0/' next/DEBIAN/control
    dpkg-deb -Znone --build next maintenance-log-service_99.0.0_all.deb && rm -r next`);
}

/** PostgreSQL of another machine, at the address and with the password of the page. */
const hasOtherServer = `
    ip address add 10.0.0.5/32 dev lo
    install -d -o postgres /run/other
    version=$(ls /usr/lib/postgresql)
    pg_createcluster --socketdir=/run/other --port=5432 $version other -- --no-sync
    echo "listen_addresses = '10.0.0.5'" > /etc/postgresql/$version/other/conf.d/address.conf
    echo 'host all all 10.0.0.0/8 scram-sha-256' >> /etc/postgresql/$version/other/pg_hba.conf
    pg_ctlcluster $version other start
    runuser -u postgres -- psql -h /run/other -c "alter role postgres password 'secret'"`;

/** Nobody needs the old server any more. */
const hasMovedDatabase = `
    systemctl stop postgresql@*-main
    ${isUp} http://127.0.0.1:7071/readyz
    systemctl start maintenance-log-backup.service
    PGPASSWORD=secret psql -h 10.0.0.5 -U postgres -At -c "select distinct host(client_addr) from pg_stat_activity where usename = 'maintenance_serve'" | grep .
    ${hasWholeTrail(7071)}`;

const blocksOf = (chapter: string) => chapters.find(({ title }) => title === chapter)?.blocks ?? [];

/** Pastes blocks of one chapter into one root shell. */
async function paste(container: Container, blocks: readonly string[]): Promise<void> {
  const shell = container.openShell();
  await shell.paste("cd\n", []);
  for (const block of blocks) {
    await shell.paste(block, typedInto(block));
    await container.run(settled);
  }
  shell.close();
}

/** Boots a Debian that has nothing but the package and a certificate in /root; an error has the end of its journal. */
async function onDebian(
  folder: string,
  release: string,
  use: (container: Container) => Promise<void>,
): Promise<void> {
  const container = await bootDebian(mkdtempSync(join(folder, "machine-")), release, packages);
  try {
    prepare(container, join(folder, "project"));
    await use(container);
  } catch (error) {
    const journal = await container.run("journalctl --lines 40 --no-pager");
    throw new Error(`${(error as Error).message}\n${journal}`);
  } finally {
    await container.stop();
  }
}

/** Debian 13 takes as long again: TEST_DEBIAN="bookworm trixie". */
const releases = (process.env["TEST_DEBIAN"] ?? "bookworm").split(" ");
const reason = noContainer();
describe("operations.md, https.md and Several services, pasted into a booted Debian", {
  skip: reason ?? false,
  concurrency: 2,
}, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-operations-"));
    make(copyProject(folder, "project"), "deb");
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const release of releases) {
    test(`all of it, on ${release}`, () =>
      onDebian(folder, release, async container => {
        for (const { title, blocks } of chapters) {
          if (title === moveOfDatabase) continue;
          await container.run(before[title] ?? "true");
          await paste(container, blocks);
          await container.run(afterwards[title] ?? "true");
          const rebooted = afterReboot[title];
          if (rebooted !== undefined) {
            await container.reboot();
            await container.run(rebooted);
          }
          assert.equal(
            await container.run("systemctl --failed --no-legend --plain"),
            "",
            `failed after ${title}`,
          );
          await container.run(title === "Removal" ? "true" : hasModes);
          // The set-up may be repeated, also when the schema is frozen.
          if (title === "Installation" || title === "Freeze of the schema") {
            await paste(container, blocksOf("Installation").slice(1, 2));
            await container.run("systemctl restart maintenance-log.service && maintenance-log check");
          }
          if (title === "Installation") await upgrade(container);
          if (title === "Backup and restore") await restoreAndReboot(container);
        }
      }));

    test(`a new machine in place of a lost one, and another one for its database, on ${release}`, async () => {
      const [install = "", keys = "", start = ""] = blocksOf("Installation");
      const [alerts = ""] = blocksOf("Alerts");
      const [, , archive = "", , , , unpack = "", setUp = "", takeOut = "", restore = ""] =
        blocksOf("Backup and restore");
      const kept = join(folder, `kept-${release}`);
      let checkpoint = "";
      const lose = async (container: Container) => {
        await paste(container, [install, keys, start, alerts]);
        await container.run(`install -D -g maintenance-log -m 0640 /root/key.pem ${etc}/tls/key.pem`);
        await paste(container, [archive]);
        await container.run(afterLastDump);
        checkpoint = await container.run(`cd && ${takeOut}cat maintenance-log.checkpoint`);
        assert.equal(
          await container.run("cat /var/lib/maintenance-log/maintenance-log.checkpoint"),
          checkpoint,
        );
        await container.run(`cd && ${keep}`);
        execFileSync("cp", ["-a", join(container.root, "root/kept"), kept]);
      };
      const replace = async (container: Container) => {
        await container.run(hasOtherGroups);
        await paste(container, [install]);
        execFileSync("cp", ["-a", join(kept, "maintenance-log-kept.tar.gz"), join(container.root, "root")]);
        await paste(container, [unpack]);
        await container.run("systemctl stop 'maintenance-log*'");
        execFileSync("sh", ["-c", `cp ${kept}/*.dump ${join(container.root, dumps)}`]);
        await paste(container, [setUp]);
        writeFileSync(join(container.root, "var/lib/maintenance-log/maintenance-log.checkpoint"), checkpoint);
        await container.run(restoresWhatWasKept);
        await paste(container, [restore.replace("maintenance-log restore &&\n", "")]);
        await container.run(hasWhatWasKept);
        const [name = "", move = ""] = blocksOf(moveOfDatabase);
        await container.run(hasOtherServer);
        await paste(container, [blocksOf("Settings")[2] ?? "", name + move]);
        await container.run(hasMovedDatabase);
        await container.run(givesUpOnCrashLoop);
      };
      await onDebian(folder, release, lose);
      await onDebian(folder, release, replace);
    });
  }
});
