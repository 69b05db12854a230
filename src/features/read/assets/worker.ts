// The service worker: the client's own files without a network, and pushes. It keeps no answers of servers, so
// nothing old is ever shown as new; the page itself keeps and marks what it showed last.

type Waiting = Event & { waitUntil(work: Promise<unknown>): void }
type Fetching = Waiting & { request: Request; respondWith(answer: Promise<Response>): void }
type Pushed = Waiting & { data: { json(): Push } | null }
type Clicked = Waiting & { notification: Notification & { data: { path: string } } }
type Push = {
  reason?: string
  /** How many of a group it stands for. */
  count?: number
  subject?: string
  author?: { displayName?: string; handle?: string }
  text?: string
  uri?: string
}
type Scope = {
  addEventListener(name: string, listener: (event: never) => void): void
  skipWaiting(): Promise<void>
  clients: {
    claim(): Promise<void>
    matchAll(
      options: object,
    ): Promise<
      { url: string; focus(): Promise<unknown>; navigate(url: string): Promise<unknown> }[]
    >
    openWindow(url: string): Promise<unknown>
  }
  registration: ServiceWorkerRegistration
}

const scope = globalThis as unknown as Scope
const files: string[] = /* files */ []
const words: Record<string, readonly string[]> = /* words */ {}
const LANGUAGES = ['en', 'de', 'ja']
const NAME = `slipstream-${files[0] ?? ''}`
const PAGE = '/read'
const GROUPED = ['like', 'repost', 'follow', 'like-via-repost', 'repost-via-repost']

scope.addEventListener('install', (event: Waiting) => {
  event.waitUntil(store().then(() => scope.skipWaiting()))
})
scope.addEventListener('activate', (event: Waiting) => {
  event.waitUntil(forgetOthers().then(() => scope.clients.claim()))
})
scope.addEventListener('fetch', (event: Fetching) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin) return
  if (request.mode === 'navigate' && isOurs(url)) event.respondWith(page(request))
  else if (files.includes(url.pathname)) event.respondWith(stored(request))
})
scope.addEventListener('push', (event: Pushed) => event.waitUntil(show(event.data?.json() ?? {})))
scope.addEventListener('notificationclick', (event: Clicked) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data.path))
})

function isOurs({ pathname, search }: URL): boolean {
  return (pathname === PAGE && search === '') || pathname.startsWith(`${PAGE}/`)
}

async function store(): Promise<void> {
  const cache = await caches.open(NAME)
  await cache.addAll([PAGE, ...files])
}

async function forgetOthers(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(
    names
      .filter((name) => name.startsWith('slipstream-') && name !== NAME)
      .map((name) => caches.delete(name)),
  )
}

/** From the network, which also says what is new; from here only without one. */
async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch {
    return (await caches.match(PAGE)) ?? Response.error()
  }
}

async function stored(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request)
}

async function show(push: Push): Promise<void> {
  const { reason = '', text, uri, subject } = push
  // One row for a group, as in the list, also if the server has forgotten that it told of it.
  const isGroup = GROUPED.includes(reason)
  const options = {
    body: text ?? '',
    tag: isGroup ? `${reason} ${subject ?? ''}` : (uri ?? reason),
    icon: '/read/icon.svg',
    data: { path: '/read/notifications' },
  }
  await scope.registration.showNotification(titleOf(push), options)
}

function titleOf({ reason = '', count = 1, author }: Push): string {
  const first = author?.displayName || (author?.handle ? `@${author.handle}` : say('somebody', {}))
  const isGroup = GROUPED.includes(reason) && count > 1
  const name = isGroup ? say('andOthers', { name: first, count: count - 1 }) : first
  return say(reason, { name, count }) || 'Slipstream'
}

/** In the browser's language; empty for what this version does not know. */
function say(key: string, parts: Record<string, string | number>): string {
  const language = Math.max(0, LANGUAGES.indexOf(navigator.language.slice(0, 2)))
  const text = words[key]?.[language] ?? ''
  return text.replace(/\{(\w{1,30})\}/g, (_, part: string) => String(parts[part] ?? ''))
}

async function open(path: string): Promise<void> {
  const windows = await scope.clients.matchAll({ type: 'window' })
  const window = windows.find(({ url }) => new URL(url).pathname.startsWith(PAGE))
  if (!window) return void (await scope.clients.openWindow(path))
  await window.navigate(path)
  await window.focus()
}
