// Answers of the PDS double to well-behaved requests, from its repositories alone, with the real PDS's order,
// cursors and error names.

import type { Repository } from './simulated-network/repository.ts'

export type AccountState = 'active' | 'takendown' | 'suspended' | 'deactivated' | 'gone'

/** The parts of an account that requests read. */
export type HostedAccount = Pick<Repository, 'did' | 'handle' | 'collections'> & {
  /** Revision of the last commit; '' before the first. */
  readonly rev: string
  /** Revision of each record's last write, by its path. */
  readonly lastWrites: ReadonlyMap<string, string>
  state: AccountState
}

export type PdsRequest = {
  method: string
  query: Record<string, string>
  /** The service to proxy the call to. */
  proxy?: string
}

export type Answer = { status: number; body: unknown; headers?: Record<string, string> }

const ERROR_OF_STATE: Record<Exclude<AccountState, 'active'>, string> = {
  takendown: 'RepoTakendown',
  suspended: 'RepoSuspended',
  deactivated: 'RepoDeactivated',
  gone: 'RepoNotFound',
}

/** Called by the resolver, which does not throttle itself. */
export const RESOLVE_HANDLE = 'com.atproto.identity.resolveHandle'

/**
 * Like the real PDS, resolves the service before it asks for a token. No request here has a token.
 */
export function passOn(findable: ReadonlySet<string>, { proxy }: PdsRequest): Answer | undefined {
  if (proxy === undefined) return undefined
  if (!findable.has(proxy)) return refuse('InvalidRequest', 'could not resolve proxy did')
  return { status: 401, body: { error: 'AuthMissing', message: 'Authentication Required' } }
}

export function answerTo(
  accounts: ReadonlyMap<string, HostedAccount>,
  { method, query }: PdsRequest,
): Answer {
  const account = accounts.get(query['repo'] ?? query['did'] ?? '')
  switch (method) {
    case 'com.atproto.repo.getRecord':
      return getRecord(account, query)
    case 'com.atproto.repo.listRecords':
      if (account?.state !== 'active') {
        return refuse('InvalidRequest', `Could not find repo: ${query['repo']}`)
      }
      return ok(listRecords(account, query))
    case 'com.atproto.repo.describeRepo':
      return available(account, ({ did, handle, collections }) => ({
        did,
        handle,
        didDoc: {},
        collections: [...collections.keys()],
        handleIsCorrect: true,
      }))
    case 'com.atproto.sync.getLatestCommit':
      return available(account, ({ rev }) => ({ cid: 'bafyreifake', rev: rev || '2222222222222' }))
    case 'com.atproto.sync.getRepoStatus':
      return account && account.state !== 'gone' ? ok(statusOf(account)) : available(account, ok)
    case RESOLVE_HANDLE: {
      const named = [...accounts.values()].find(({ handle }) => handle === query['handle'])
      return named ? ok({ did: named.did }) : refuse('HandleNotFound', 'Unable to resolve handle')
    }
    default:
      return { status: 501, body: { error: 'MethodNotImplemented', message: method } }
  }
}

/**
 * Without an AppView to ask, the real PDS gives the same error for repositories that it does not
 * host.
 */
function getRecord(account: HostedAccount | undefined, query: Record<string, string>): Answer {
  const { collection = '', rkey = '' } = query
  if (account?.state !== 'active') return refuse('InvalidRequest', 'Could not locate record')
  const record = account.collections.get(collection)?.get(rkey)
  const uri = `at://${account.did}/${collection}/${rkey}`
  if (!record) return refuse('RecordNotFound', `Could not locate record: ${uri}`)
  return ok({ uri, cid: record.cid, value: record.value })
}

/** Ordered by key, newest first unless `reverse`; the cursor is the last key of the page. */
function listRecords(account: HostedAccount, query: Record<string, string>) {
  const { collection = '', cursor, reverse } = query
  const limit = Math.min(Math.max(Number(query['limit'] ?? 50) || 50, 1), 100)
  const direction = reverse === 'true' ? 1 : -1
  const records = [...(account.collections.get(collection)?.values() ?? [])]
    .filter(({ rkey }) => cursor === undefined || (direction > 0 ? rkey > cursor : rkey < cursor))
    .sort((a, b) => (a.rkey < b.rkey ? -direction : direction))
    .slice(0, limit)
  const last = records.at(-1)
  return {
    records: records.map(({ rkey, cid, value }) => ({
      uri: `at://${account.did}/${collection}/${rkey}`,
      cid,
      value,
    })),
    ...(last && { cursor: last.rkey }),
  }
}

function available(
  account: HostedAccount | undefined,
  view: (a: HostedAccount) => unknown,
): Answer {
  if (!account) return refuse('RepoNotFound', 'Could not find repo')
  if (account.state !== 'active') return refuse(ERROR_OF_STATE[account.state], 'not available')
  return ok(view(account))
}

function statusOf({ did, state, rev }: HostedAccount) {
  return state === 'active' ? { did, active: true, rev } : { did, active: false, status: state }
}

function ok(body: unknown): Answer {
  return { status: 200, body }
}

function refuse(error: string, message: string): Answer {
  return { status: 400, body: { error, message } }
}
