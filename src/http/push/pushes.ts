// Pushes, from the main serving thread: every other second it looks what notifications there are for members with
// devices, remembers how far it looked, and sends. What was looked at is not sent again, also after a
// crash in between: a push that is missing is found when the app is opened, one that comes twice annoys.

import type { Logger } from '../../base/obs/log.ts'
import type { Writer } from '../../bridge/messages.ts'
import {
  findPushState,
  newestNotification,
  type PushState,
} from '../../data/store/push-registrations.ts'
import { type DuePushesParts, duePushes, type Push } from './due-pushes.ts'
import { createPushSender, type PushCounts, type PushSenderOptions } from './send-pushes.ts'

type Pushes = {
  /** One look; resolves when it is remembered. */
  look(): Promise<void>
  counts(): PushCounts
  pending(): number
  close(): void
}

type PushesOptions = DuePushesParts &
  Omit<PushSenderOptions, 'keys' | 'onGone'> & {
    writer: Writer
    /** Whose the server is, in whose name what is remembered is written. */
    serviceDid: string
    log: Pick<Logger, 'error' | 'debug'>
    /** 0: only when `look` is called. */
    everyMs?: number
  }

const EVERY_MS = 2000
/** Without any push, it is remembered so often. */
const REMEMBER_EVERY = 1000

export function createPushes(options: PushesOptions): Pushes {
  const { db, writer, serviceDid, log, everyMs = EVERY_MS } = options
  let state: PushState | undefined
  let told = 0
  let looking: Promise<void> | undefined
  const sender = createPushSender({ ...options, keys: () => state, onGone: forget })

  function forget({ did, to }: Push): void {
    const gone = writer.send({ kind: 'unregister-push', did, endpoint: to.endpoint })
    gone.catch((error: unknown) =>
      log.debug({ err: error }, 'a device that is gone was not removed'),
    )
  }

  async function begin(): Promise<PushState> {
    if (!findPushState(db)) {
      const { default: webPush } = await import('web-push')
      const keys = webPush.generateVAPIDKeys()
      await writer.send({ kind: 'begin-pushes', did: serviceDid, ...keys })
    }
    const found = findPushState(db)
    if (!found) throw new Error('the key for pushes was not kept')
    told = found.told
    return found
  }

  async function look(): Promise<void> {
    state ??= await begin()
    const to = newestNotification(db)
    if (to <= told) return
    const due = duePushes(options, { after: told, to })
    if (due.pushes.length > 0 || due.told - state.told >= REMEMBER_EVERY) {
      await writer.send({ kind: 'pushes-told', did: serviceDid, told: due.told })
      state = { ...state, told: due.told }
    }
    told = due.told
    for (const push of due.pushes) sender.send(push)
  }

  const lookOnce = () => {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }
  const timer = everyMs > 0 ? setInterval(() => lookOnce().catch(tell), everyMs) : undefined
  timer?.unref()
  // What comes from now on is told, also where nobody had a device before.
  if (timer) lookOnce().catch(tell)

  function tell(error: unknown): void {
    log.error({ err: error }, 'pushes could not be looked for')
  }

  return {
    look: lookOnce,
    counts: sender.counts,
    pending: sender.pending,
    close() {
      clearInterval(timer)
      sender.close()
    },
  }
}
