// The service worker: keeps the client itself for when there is no network, and receives pushes.

let registered: Promise<ServiceWorkerRegistration | undefined> | undefined

type Policy = { createScriptURL(url: string): string }
type TrustedTypes = { createPolicy(name: string, rules: Policy): Policy }

/** Undefined where the browser allows none. */
export function worker(): Promise<ServiceWorkerRegistration | undefined> {
  registered ??= register()
  return registered
}

async function register(): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator)) return undefined
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  const path = '/read/worker.js'
  const policy = trustedTypes?.createPolicy('slipstream', {
    createScriptURL: (url) => (url === path ? url : ''),
  })
  await navigator.serviceWorker
    .register(policy ? policy.createScriptURL(path) : path, {
      scope: '/read',
      updateViaCache: 'none',
    })
    .catch(() => undefined)
  return Promise.race([
    navigator.serviceWorker.ready,
    new Promise<undefined>((resolve) => setTimeout(resolve, 5_000, undefined)),
  ])
}

const PAGE = 'slipstream-last-page'
const MAX_CACHED = 1_000_000

/** Keeps what the timeline shows, as text and addresses of posts: what can be shown without a network. */
export function storeLastPage(posts: readonly { by: string; text: string; at: string }[]): void {
  const filtered = JSON.stringify({ at: Date.now(), posts: posts.slice(0, 50) })
  if (filtered.length < MAX_CACHED) localStorage.setItem(PAGE, filtered)
}

export function lastPage():
  | { at: number; posts: { by: string; text: string; at: string }[] }
  | undefined {
  try {
    return JSON.parse(localStorage.getItem(PAGE) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export function forgetLastPage(): void {
  localStorage.removeItem(PAGE)
}
