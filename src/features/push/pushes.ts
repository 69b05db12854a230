// Pushes, sent by the main serving thread: every two seconds it reads new notifications of members with
// devices, records how far it has read, and sends. Nothing already read is sent again, even after a crash in
// between: a missing push is found when the app is opened, while a duplicate annoys.

import type { Logger } from '../../base/obs/log.ts'
import type { Writer } from '../../bridge/messages.ts'
import {
  type DuePushesContext,
  duePushes,
  laterPushes,
  membersDue,
  type Push,
} from './due-pushes.ts'
import { createHeldBack } from './held-back.ts'
import type { MembersOfNodes } from './members-of-nodes.ts'
import { createPace } from './pace.ts'
import { createPushGroups } from './push-groups.ts'
import { askWriter } from './requests.ts'
import { createPushSender, type PushCounts, type PushSenderOptions } from './send-pushes.ts'
import { findPushState, newestNotification, type PushState } from './store/registrations.ts'

type Pushes = {
  /** Checks once; resolves once the position is recorded. */
  look(): Promise<void>
  counts(): PushCounts
  pending(): number
  close(): void
}

type PushesOptions = DuePushesContext &
  Omit<PushSenderOptions, 'keys' | 'onGone'> & {
    writer: Writer
    /** The server's DID, which records the position. */
    serviceDid: string
    log: Pick<Logger, 'error' | 'debug'>
    /** Where nodes share what their members set. */
    members?: MembersOfNodes | undefined
    /** 0: check only when `look` is called. */
    everyMs?: number
  }

const EVERY_MS = 2000
/** Without any push, the position is recorded after this many notifications. */
const REMEMBER_EVERY = 1000

export function createPushes(options: PushesOptions): Pushes {
  const { db, writer, serviceDid, log, everyMs = EVERY_MS } = options
  let state: PushState | undefined
  let notified = 0
  let looking: Promise<void> | undefined
  const parts = { ...options, ...memoryOfPushes() }
  const sender = createPushSender({ ...options, keys: () => state, onGone: forget })

  function forget({ did, to }: Push): void {
    const gone = askWriter(writer, did, {
      kind: 'push/unregister',
      body: { endpoint: to.endpoint },
    })
    gone.catch((error: unknown) =>
      log.debug({ err: error }, 'an unregistered device was not removed'),
    )
  }

  async function begin(): Promise<PushState> {
    if (!findPushState(db)) {
      const { default: webPush } = await import('web-push')
      const keys = webPush.generateVAPIDKeys()
      await askWriter(writer, serviceDid, { kind: 'push/begin', body: keys })
    }
    const found = findPushState(db)
    if (!found) throw new Error('the key for pushes was not kept')
    notified = found.told
    return found
  }

  async function look(): Promise<void> {
    state ??= await begin()
    const to = newestNotification(db)
    await takeIn(parts, { after: notified, to })
    for (const push of laterPushes(parts)) sender.send(push)
    if (to <= notified) return
    const due = duePushes(parts, { after: notified, to })
    if (due.pushes.length > 0 || due.told - state.told >= REMEMBER_EVERY) {
      await askWriter(writer, serviceDid, { kind: 'push/notified', body: { upTo: due.told } })
      state = { ...state, told: due.told }
    }
    notified = due.told
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
  // Sets the starting point: later notifications are pushed even if no member had a device before.
  if (timer) lookOnce().catch(tell)

  function tell(error: unknown): void {
    log.error({ err: error }, 'could not look for pushes')
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

/** What their members changed on other nodes. */
async function takeIn(
  parts: Parameters<typeof membersDue>[0] & Pick<PushesOptions, 'members'>,
  range: { after: number; to: number },
): Promise<void> {
  const { members } = parts
  if (members) await Promise.all(membersDue(parts, range).map((did) => members.upToDate(did)))
}

function memoryOfPushes() {
  return {
    groups: createPushGroups(),
    pace: createPace(),
    heldBack: createHeldBack(),
    tooMany: createHeldBack(),
  }
}
