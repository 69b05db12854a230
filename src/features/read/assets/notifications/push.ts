// Web push to this browser, by the server's own push feature (docs/PUSH.md).

import { setup } from '../../../sign-in/assets/session.ts'
import { ask, write } from '../page/api.ts'
import { button, el } from '../page/dom.ts'
import { worker } from '../page/offline.ts'
import { attempt, toast } from '../page/toast.ts'
import { t } from '../page/words.ts'

const APP_ID = 'io.slipstream.read'

/** A button, or nothing where neither browser nor server can. */
export function browserPush(): HTMLElement {
  const position = el('div', { class: 'push' })
  if ('PushManager' in globalThis && 'serviceWorker' in navigator) void show(position)
  return position
}

async function show(position: HTMLElement): Promise<void> {
  const registration = await worker()
  const existing = await registration?.pushManager.getSubscription()
  if (!registration) return
  position.replaceChildren(
    existing
      ? el(
          'p',
          { class: 'aside' },
          t('pushOn'),
          ' ',
          button(t('undo'), () => void attempt(() => off(existing, position)), { class: 'quiet' }),
        )
      : button(t('push'), () => void attempt(() => on(registration, position))),
  )
}

async function on(registration: ServiceWorkerRegistration, position: HTMLElement): Promise<void> {
  const found = await ask<{ publicKey: string }>('io.slipstream.notification.getPushKey').catch(
    () => undefined,
  )
  if (!found) return toast(t('pushNone'))
  if ((await Notification.requestPermission()) !== 'granted') return toast(t('pushDenied'))
  const applicationServerKey = bytesOf(found.publicKey)
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey,
  })
  await write('app.bsky.notification.registerPush', registrationOf(subscription))
  toast(t('pushOn'))
  await show(position)
}

/** Whoever signs out here is not told here any more, and nobody after them is told of their things. */
export async function endPush(): Promise<void> {
  if (!('PushManager' in globalThis)) return
  const existing = await (await worker())?.pushManager.getSubscription()
  if (existing) await end(existing)
}

async function end(subscription: PushSubscription): Promise<void> {
  await write('app.bsky.notification.unregisterPush', registrationOf(subscription)).catch(() => {})
  await subscription.unsubscribe()
}

async function off(subscription: PushSubscription, position: HTMLElement): Promise<void> {
  await end(subscription)
  toast(t('pushOff'))
  await show(position)
}

function registrationOf(subscription: PushSubscription) {
  const { endpoint, keys } = subscription.toJSON()
  return {
    serviceDid: setup().serviceDid,
    platform: 'web',
    appId: APP_ID,
    token: JSON.stringify({ endpoint, keys }),
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
