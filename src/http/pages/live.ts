// Figures as they change, by server-sent events: one text a second, made once for all listeners of this thread, and
// only while there are any. Bounded on every side: so many listeners and no more, and few of one address; to one who
// does not read, nothing is sent until they do, and after a while they are let go, for the browser comes back by
// itself. A comment is sent where there is nothing to say, so that no proxy takes the silence for the end.

export type Live = {
  /** @returns undefined where there are too many listeners, altogether or at this address. */
  listen(address?: string): Response | undefined
  readonly listeners: number
  close(): void
}

type Listener = {
  address: string | undefined
  controller: ReadableStreamDefaultController<Uint8Array>
  skipped: number
}

const INTERVAL_MS = 1_000
const MAX_LISTENERS = 64
const MAX_LISTENERS_EACH = 8
/** Chunks that may wait for one listener, and for how many seconds they may stand still. */
const MAX_WAITING = 4
const MAX_SKIPPED = 30
/** After which a browser asks again, in milliseconds. */
const RETRY = Buffer.from('retry: 3000\n\n')
const HEARTBEAT = Buffer.from(': still here\n\n')

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** @param figures - what to send, as JSON */
export function createLive(
  figures: () => string,
  { maxListeners = MAX_LISTENERS, intervalMs = INTERVAL_MS } = {},
): Live {
  const listeners = new Set<Listener>()
  let timer: NodeJS.Timeout | undefined
  let last = ''

  function leave(listener: Listener): void {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  function end(listener: Listener): void {
    leave(listener)
    try {
      listener.controller.close()
    } catch {
      // They were gone already.
    }
  }

  function send(listener: Listener, chunk: Uint8Array): void {
    if ((listener.controller.desiredSize ?? 0) > 0) {
      listener.controller.enqueue(chunk)
      listener.skipped = 0
      return
    }
    listener.skipped++
    if (listener.skipped > MAX_SKIPPED) end(listener)
  }

  function tick(): void {
    const text = figures()
    const chunk = text === last ? HEARTBEAT : eventOf(text)
    last = text
    for (const listener of [...listeners]) send(listener, chunk)
  }

  return {
    listen(address) {
      if (listeners.size >= maxListeners || isFull(listeners, address)) return undefined
      let listener: Listener | undefined
      const stream = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            listener = { address, controller, skipped: 0 }
            listeners.add(listener)
            controller.enqueue(RETRY)
            controller.enqueue(eventOf(figures()))
          },
          cancel() {
            if (listener) leave(listener)
          },
        },
        { highWaterMark: MAX_WAITING },
      )
      timer ??= setInterval(tick, intervalMs)
      return new Response(stream, { headers: HEADERS })
    },
    get listeners() {
      return listeners.size
    },
    close() {
      for (const listener of [...listeners]) end(listener)
    },
  }
}

/** Whether this address has all that one may have. */
function isFull(listeners: ReadonlySet<Listener>, address: string | undefined): boolean {
  if (address === undefined) return false
  return [...listeners].filter((one) => one.address === address).length >= MAX_LISTENERS_EACH
}

/** The text has no line breaks: it is JSON. */
function eventOf(text: string): Uint8Array {
  return Buffer.from(`event: figures\ndata: ${text}\n\n`)
}
