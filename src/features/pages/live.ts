// Live figures by server-sent events: one text a second, made once for all listeners of this thread, and only
// while there are any. Bounded throughout: limited listeners in all and per address. A listener that does not
// read is sent nothing until it does, and is disconnected after a while; its browser reconnects by itself. A
// comment is sent when nothing changed, so that proxies do not close a silent connection.

export type Live = {
  /** @returns undefined if there are too many listeners, in all or at this address. */
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
/** Chunks that may wait for one listener, and seconds that it may stall. */
const MAX_WAITING = 4
const MAX_SKIPPED = 30
/** Milliseconds until a browser reconnects. */
const RETRY = Buffer.from('retry: 3000\n\n')
const HEARTBEAT = Buffer.from(': still here\n\n')

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** @param figures - returns the JSON to send */
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
      // Already disconnected.
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

/** Whether the address is at its limit. */
function isFull(listeners: ReadonlySet<Listener>, address: string | undefined): boolean {
  if (address === undefined) return false
  return (
    [...listeners].filter((listener) => listener.address === address).length >= MAX_LISTENERS_EACH
  )
}

/** The text is JSON and has no line breaks. */
function eventOf(text: string): Uint8Array {
  return Buffer.from(`event: figures\ndata: ${text}\n\n`)
}
