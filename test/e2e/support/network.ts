// The part of the AT Protocol network that isn't ours: a PLC directory and a PDS, in one child
// process. The PDS is configured to use the AppView on the given port, as an operator would.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import { storeOutput } from './child.ts'

export type Network = {
  plcUrl: string
  pdsUrl: string
  /** Like the PDS's administrator, including the tombstone. */
  deleteAccount: (did: string) => Promise<void>
  /** Like the PDS's administrator: takes the account down, or lets it back. */
  takeDown: (did: string, applied: boolean) => Promise<void>
  /** Gives the account another signing key; announced by an identity event, or not. */
  rotateKey: (did: string, isAnnounced: boolean) => Promise<void>
  /** Starts another PDS. @returns its URL */
  second: () => Promise<string>
  /** The directory names what the account's new PDS recommends. */
  move: (did: string, credentials: object) => Promise<void>
  stop: () => Promise<void>
}

type Started = { plcUrl: string; pdsUrl: string; adminAuth: string }

/**
 * The AppView's DID as configured in the PDS; an alternate audience for Slipstream. It differs from
 * the DID that clients name in `atproto-proxy`, because the PDS takes a shortcut if the two are
 * equal: this way the header makes it really resolve Slipstream's DID.
 */
export const CONFIGURED_APPVIEW_DID = 'did:web:appview.test'

/** @throws Error with the child's output if it fails to start. */
export async function startNetwork(appViewPort: number): Promise<Network> {
  const child = fork(join(import.meta.dirname, 'network-process.ts'), {
    env: {
      ...process.env,
      E2E_APPVIEW_URL: `http://localhost:${appViewPort}`,
      E2E_APPVIEW_DID: CONFIGURED_APPVIEW_DID,
      LOG_ENABLED: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output = storeOutput(child)
  const signal = AbortSignal.timeout(MAX_WAIT_MS)
  const started = once(child, 'message', { signal }) as Promise<[Started]>
  const died = once(child, 'exit').then(() => undefined)
  const first = await Promise.race([started, died]).catch(() => undefined)
  if (!first) throw new Error(`The PLC and PDS did not start:\n${output()}`)
  const { plcUrl, pdsUrl, adminAuth } = first[0]
  const admin = (method: string, body: object) => asAdmin({ pdsUrl, adminAuth }, method, body)
  const notified = async (message: string | object): Promise<unknown> => {
    const done = once(child, 'message', { signal: AbortSignal.timeout(MAX_WAIT_MS) })
    child.send(message)
    return (await done)[0]
  }
  return {
    plcUrl,
    pdsUrl,
    deleteAccount: (did) => admin('deleteAccount', { did }),
    takeDown(did, applied) {
      const subject = { $type: 'com.atproto.admin.defs#repoRef', did }
      return admin('updateSubjectStatus', { subject, takedown: { applied } })
    },
    rotateKey: async (did, isAnnounced) => void (await notified({ rotate: did, isAnnounced })),
    second: async () => ((await notified('second')) as { url: string }).url,
    move: async (did, credentials) => void (await notified({ move: did, credentials })),
    stop: () => stop(child),
  }
}

async function asAdmin(
  { pdsUrl, adminAuth }: Pick<Started, 'pdsUrl' | 'adminAuth'>,
  method: string,
  body: object,
): Promise<void> {
  const answer = await fetch(`${pdsUrl}/xrpc/com.atproto.admin.${method}`, {
    method: 'POST',
    headers: { authorization: adminAuth, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method}: ${answer.status} ${await answer.text()}`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  if (child.connected) child.send('stop')
  else child.kill('SIGKILL')
  await gone
}
