// Exports a member's private state (mutes, muted lists and threads, bookmarks, drafts, subscriptions,
// settings) from a Slipstream as one JSON document, or imports it into one.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isValidDid } from '@atproto/syntax'
import { loadConfig } from '../src/base/config/config.ts'
import { openReader, openWriter } from '../src/data/store/db.ts'
import { lockDataDir } from '../src/data/store/files/lock.ts'
import { parseState } from '../src/ingest/indexing/member-state/document.ts'
import { readState } from '../src/ingest/indexing/member-state/read-state.ts'
import { writeState } from '../src/ingest/indexing/member-state/write-state.ts'
import { readArguments } from '../src/tools/script-usage.ts'
import { signIn } from './member-state/appview.ts'
import { fetchState } from './member-state/fetch-state.ts'
import { pushState } from './member-state/push-state.ts'

const USAGE = `node scripts/member-state.ts export DID > state.json    from the data folder, at any time
node scripts/member-state.ts import < state.json        into it, while Slipstream is stopped
node scripts/member-state.ts fetch --pds URL --as HANDLE [--appview DID] > state.json
node scripts/member-state.ts push  --pds URL --as HANDLE --appview DID   < state.json

fetch reads another AppView (Bluesky's unless you name one), push writes to a running one. Both go through the
member's own PDS with an app password, read from ATP_APP_PASSWORD.`
const BLUESKY = 'did:web:api.bsky.app#bsky_appview'

const { positionals, values } = readArguments(USAGE, (args) =>
  parseArgs({
    args,
    allowPositionals: true,
    options: { pds: { type: 'string' }, as: { type: 'string' }, appview: { type: 'string' } },
  }),
)

function exportState(did: string | undefined): void {
  if (!did || !isValidDid(did)) throw new Error(USAGE)
  const db = openReader(loadConfig(process.env).dataDir)
  print(readState(db, did))
  db.close()
}

function importState(): void {
  const state = parseState(readFileSync(0, 'utf8'))
  const { dataDir, indexScope } = loadConfig(process.env)
  const lock = lockDataDir(dataDir)
  const db = openWriter(dataDir)
  writeState(db, state, indexScope)
  db.close()
  lock.release()
  console.error(`The state of ${state.did} is imported.`)
}

async function connect(appView: string | undefined) {
  const password = process.env['ATP_APP_PASSWORD']
  const { pds, as } = values
  if (!pds || !as || !password || !appView) throw new Error(USAGE)
  return signIn({ pds, identifier: as, password, appView })
}

async function run(): Promise<void> {
  const warn = (what: string) => console.error(`left out: ${what}`)
  switch (positionals[0]) {
    case 'export':
      return exportState(positionals[1])
    case 'import':
      return importState()
    case 'fetch':
      return print(await fetchState(await connect(values.appview ?? BLUESKY), warn))
    case 'push':
      return pushState(await connect(values.appview), parseState(readFileSync(0, 'utf8')), warn)
    default:
      throw new Error(USAGE)
  }
}

function print(state: object): void {
  console.log(JSON.stringify(state, null, 2))
}

await run().catch((error: Error & { hint?: string }) => {
  console.error([error.message, error.hint].filter(Boolean).join('\n'))
  process.exitCode = 1
})
