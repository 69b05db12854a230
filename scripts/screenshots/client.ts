// Screenshots of the client at /read in thirteen states, on a simulated network whose accounts' servers let people
// sign in.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { blobCid } from '../../test/support/blob-host.ts'
import { type ClientWorld, startClientWorld } from '../../test/support/client-world.ts'
import type { SimulatedAccount } from '../../test/support/simulated-network/repository.ts'
import { introduce, wordsBy } from '../simulated-people.ts'
import type { Pictures } from '../simulated-pictures.ts'

export type Shoot = (page: Page, name: string) => Promise<void>

type Post = { uri: string; cid: string }
type Scene = { world: ClientWorld; own: Post; video: Post; picture: Buffer; shoot: Shoot }

const VIDEO = join(import.meta.dirname, '../../test/fixtures/video/pictures-and-sound.mp4')
const CAPTIONS = 'WEBVTT\n\n00:00.000 --> 00:09.000\nThe tide is coming in, slowly.\n'
const POST = 'app.bsky.feed.post'
const MINUTE = 60_000
const DESKTOP = { viewport: { width: 1_000, height: 800 } }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true }
const FOR_ANYONE = { 'access-control-allow-origin': '*' }

export async function takeClient(pictures: Pictures, shoot: Shoot): Promise<void> {
  const video = readFileSync(VIDEO)
  const captions = Buffer.from(CAPTIONS)
  const blobs = new Map(pictures.blobs)
  for (const bytes of [video, captions]) blobs.set(blobCid(bytes), bytes)
  const made: { own?: Post; video?: Post } = {}
  const world = await startClientWorld({
    settings: { IMAGES: 'own', VIDEOS: 'own', REASONABLE_LIMIT: '20' },
    network: { seed: 7, accounts: 120, follows: 30, past: 4_000, pastHours: 30 },
    words: wordsBy(pictures.scenes),
    blobs,
    prepare({ network }, member) {
      introduce(network, pictures.faces)
      made.own = write(member, { text: 'The ferry was late, the coffee was early. #tides' })
      made.video = write(friendOf(network.repositories, member), {
        text: 'Ten seconds of the harbour, with captions.',
        embed: videoOf(video, captions),
      })
    },
  })
  try {
    const picture = blobs.get(pictures.scenes[1]!.cid)!
    await takeAll({ world, own: made.own!, video: made.video!, picture, shoot })
  } finally {
    await world.close()
  }
}

async function takeAll(visible: Scene): Promise<void> {
  await atTheDoor(visible)
  answerTo(visible)
  await asReader(visible, { ...DESKTOP, colorScheme: 'light' }, onDesktop)
  await asReader(visible, { ...PHONE, colorScheme: 'dark' }, onPhone)
  await asReader(visible, { ...PHONE, locale: 'de-DE' }, async ({ world, shoot }, page) => {
    await go(page, `${world.origin}/read/settings`)
    await shoot(page, 'client-settings-german')
  })
  await asReader(visible, PHONE, async ({ world, shoot }, page) => {
    await go(page, `${world.origin}/read/notifications`)
    await shoot(page, 'client-notifications')
    await page.evaluate(`document.documentElement.dir = 'rtl'`)
    await shoot(page, 'client-mirrored')
  })
  await asReader(visible, PHONE, withoutNetwork)
}

async function atTheDoor({ world, shoot }: Scene): Promise<void> {
  const { page } = await world.open(DESKTOP)
  await go(page, `${world.origin}/read`)
  await shoot(page, 'client-enter')
  await page.fill('#name', 'no such name')
  await page.click('form.enter button[type=submit]')
  await page.locator('.problem:not(:empty)').waitFor()
  await shoot(page, 'client-enter-problem')
  await page.context().close()
}

async function onDesktop({ world, own, shoot }: Scene, page: Page): Promise<void> {
  const now = Date.now()
  await page.route('**/xrpc/io.slipstream.feed.getTimelineGaps?*', (route) => {
    const [from, to] = [40, 20].map((ago) => new Date(now - ago * MINUTE).toISOString())
    return route.fulfill({ json: { gaps: [{ from, to }] }, headers: FOR_ANYONE })
  })
  await go(page, `${world.origin}/read`)
  await page.locator('.gap').waitFor()
  await page.locator('.notice').waitFor()
  await shoot(page, 'client-following')
  await page.locator('.gap').scrollIntoViewIfNeeded()
  await shoot(page, 'client-gap')
  const somebody = world.simulation.network.repositories[0]!
  await go(page, `${world.origin}/read/profile/${somebody.did}`)
  await shoot(page, 'client-profile')
  await go(page, threadOf(world, own))
  await shoot(page, 'client-thread')
}

async function onPhone({ world, video, picture, shoot }: Scene, page: Page): Promise<void> {
  await go(page, `${world.origin}/read`)
  await shoot(page, 'client-following-dark')
  await page.click('#write')
  await page.locator('#compose textarea').first().fill('Fog over the whole bay this morning.')
  await page
    .locator('#compose input[type=file]')
    .setInputFiles({ name: 'bay.jpg', mimeType: 'image/jpeg', buffer: picture })
  await page.locator('.new-pictures textarea').waitFor()
  await shoot(page, 'client-write')
  await page.keyboard.press('Escape')
  await go(page, threadOf(world, video))
  await page.getByRole('button', { name: 'Video' }).click()
  await until(page, `document.querySelector('video').currentTime > 1`)
  await page.evaluate(`document.querySelector('video').pause()`)
  await shoot(page, 'client-video')
}

/** Last, because the server is gone afterwards. */
async function withoutNetwork({ world, shoot }: Scene, page: Page): Promise<void> {
  await go(page, `${world.origin}/read`)
  await until(page, 'navigator.serviceWorker.controller !== null')
  await world.slipstream.stop()
  await page.context().setOffline(true)
  await page.reload()
  await page.locator('.notice', { hasText: 'This is the page as of' }).waitFor()
  await shoot(page, 'client-offline')
}

async function asReader(
  visible: Scene,
  how: BrowserContextOptions,
  take: (visible: Scene, page: Page) => Promise<void>,
): Promise<void> {
  const reader = await visible.world.open({ locale: 'en-GB', reducedMotion: 'reduce', ...how })
  await visible.world.signIn(reader)
  await reader.page.locator('.feed .post').nth(10).waitFor()
  await take(visible, reader.page)
  await reader.page.context().close()
}

/** The page's policy refuses what Playwright would poll with. */
async function until(page: Page, condition: string): Promise<void> {
  while (!(await page.evaluate(condition))) await sleep(200)
}

/** Waits for pictures, too. */
async function go(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('#main[aria-busy=false]').waitFor()
  await page.waitForLoadState('networkidle')
}

function threadOf({ origin }: ClientWorld, { uri }: Post): string {
  const [, , did, , rkey] = uri.split('/')
  return `${origin}/read/profile/${did}/post/${rkey}`
}

/** Some like, answer and follow. */
function answerTo({ world, own }: Scene): void {
  const { network, emit } = world.simulation
  const texts = ['It always is.', 'Which pier? I am at the other one.', 'مرحبا من الميناء الآخر']
  const [first, ...likers] = network.repositories.slice(0, 9)
  const reply = { root: own, parent: own }
  for (const [i, text] of texts.entries()) write(likers[i]!, { text, reply }, emit)
  const put = (account: SimulatedAccount, collection: string, value: Record<string, unknown>) =>
    emit(
      account.put({
        collection,
        value: { createdAt: timeOf(Date.now()), ...value },
        atMs: Date.now(),
      }),
    )
  for (const liker of likers) put(liker, 'app.bsky.feed.like', { subject: own })
  put(first!, 'app.bsky.graph.follow', { subject: world.member.did })
  put(first!, 'app.bsky.feed.repost', { subject: own })
}

type Emit = ClientWorld['simulation']['emit']

function write(
  account: SimulatedAccount,
  value: Record<string, unknown>,
  emit: Emit = () => {},
): Post {
  const atMs = Date.now() - MINUTE
  const commit = account.put({
    collection: POST,
    value: { createdAt: timeOf(atMs), ...value },
    atMs,
  })
  emit(commit)
  const { did, collection, rkey } = commit
  const cid = commit.operation === 'delete' ? '' : commit.cid
  return { uri: `at://${did}/${collection}/${rkey}`, cid }
}

const timeOf = (ms: number) => new Date(ms).toISOString()

function friendOf(all: readonly SimulatedAccount[], member: SimulatedAccount): SimulatedAccount {
  const [follow] = member.collections.get('app.bsky.graph.follow')?.values() ?? []
  return all.find(({ did }) => did === follow?.value['subject'])!
}

function videoOf(video: Buffer, captions: Buffer): Record<string, unknown> {
  const blob = (bytes: Buffer, mimeType: string) => ({
    $type: 'blob',
    ref: { $link: blobCid(bytes) },
    mimeType,
    size: bytes.length,
  })
  return {
    $type: 'app.bsky.embed.video',
    video: blob(video, 'video/mp4'),
    alt: 'A test picture that counts seconds',
    aspectRatio: { width: 96, height: 54 },
    captions: [{ lang: 'en', file: blob(captions, 'text/vtt') }],
  }
}
