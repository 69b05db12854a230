// One of the compared trees as a running process: `node TREE/src/main.ts` with settings in its environment
// and its own data folder. It is quiet once it shows the last event and no work waits in its tables.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { until } from '../../../test/support/eventually.ts'
import { freshDataDir, startSlipstream } from '../../../test/support/slipstream-process.ts'
import { SERVICE } from './ask.ts'
import { LABELER } from './member-acts.ts'
import type { RecordedNetwork } from './network.ts'

export type Tree = {
  readonly path: string
  readonly origin: string
  /** Waits until no job, search entry or gap is left that could change an answer. */
  quiet(what: string): Promise<void>
  stop(): Promise<void>
}

const QUIET_MS = 240_000
const TAIL = 3_000
/** Jobs that wait longer for their next attempt are about servers and records that do not exist. */
const SOON_MS = 3_000

export async function startTree(
  path: string,
  network: RecordedNetwork,
  options: { members: readonly string[]; verifier: string },
): Promise<Tree> {
  const dataDir = freshDataDir()
  const settings = { ...settingsOf(network, options), DATA_DIR: dataDir }
  const process = startSlipstream(settings, [], { main: join(path, 'src/main.ts') })
  const port = await process.port()
  return {
    path,
    origin: `http://127.0.0.1:${port}`,
    quiet: (what) => {
      const waiting = () => waitingIn(dataDir)
      return until(() => waiting().length === 0, { withinMs: QUIET_MS, pollMs: 200, what }).catch(
        (error: Error) => {
          const rest = waiting().slice(0, 5).join(', ')
          throw new Error(`${path}: ${error.message}: ${rest}\n${process.output().slice(-TAIL)}`)
        },
      )
    },
    async stop() {
      await process.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function settingsOf(
  { stream, servers }: RecordedNetwork,
  { members, verifier }: { members: readonly string[]; verifier: string },
): Record<string, string> {
  return {
    HOSTNAME: 'appview.test',
    SERVICE_DID: SERVICE,
    JETSTREAM_HOSTS: stream.url,
    JETSTREAM_V1_DICTIONARY: stream.v1DictionaryUrl,
    PLC_URL: servers.origin,
    ALLOW_PRIVATE_HOSTS: 'on',
    MEMBERS: members.join(','),
    INDEX_SCOPE: 'network',
    LABELERS: LABELER,
    TRUSTED_VERIFIERS: verifier,
    DISK_RESERVE_MB: '0',
    MEMBER_RATE_LIMIT: '0',
    VISITOR_RATE_LIMIT: '0',
  }
}

function waitingIn(dataDir: string): string[] {
  const db = new Database(join(dataDir, 'slipstream.sqlite'), { readonly: true, timeout: 5_000 })
  const queries = [
    `SELECT kind, subject, last_error FROM jobs WHERE not_before < ${Date.now() + SOON_MS}`,
    'SELECT * FROM search_queue LIMIT 3',
    'SELECT * FROM search_backlog LIMIT 3',
    "SELECT * FROM gaps WHERE state <> 'closed'",
  ]
  try {
    return queries.flatMap((query) => db.prepare(query).all()).map((row) => JSON.stringify(row))
  } finally {
    db.close()
  }
}

export type KnownMethod = { nsid: string; kind: string; auth: string }

/** The methods that a tree says it answers, by its docs/METHODS.md, which a test keeps true. */
export function methodsOf(tree: string): Map<string, KnownMethod> {
  const page = readFileSync(join(tree, 'docs/METHODS.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([\w.]+)` \| (query|procedure) \| ([^|]*) \|/gm)]
  return new Map(
    rows.map(([, nsid = '', kind = '', auth = '']) => [nsid, { nsid, kind, auth: auth.trim() }]),
  )
}

/** Methods that a tree refuses, those named singly. */
export function refusedBy(tree: string): string[] {
  const page = readFileSync(join(tree, 'docs/METHODS.md'), 'utf8')
  const [, refused = ''] = page.split('\n## Refused\n')
  return [...refused.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, nsid]) => nsid!)
}
