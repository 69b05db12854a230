// Slipstream for one test file of the reference's: fed from the network's PDS, configured as the tests configure
// the reference, as far as there is a setting.

import { join } from 'node:path'
import type { TestBsky } from '@atproto/dev-env'
import { IdResolver } from '@atproto/identity'
import { Firehose } from '@atproto/sync'
import Database from 'better-sqlite3'
import { createJetstreamDouble } from '../../support/jetstream-double/double.ts'
import { emissionOf } from '../support/firehose-to-double.ts'
import { freePort } from '../support/free-port.ts'
import { startPlcOfToday } from '../support/plc-of-today.ts'
import { createSlipstream } from '../support/slipstream.ts'
import type { Labelers } from './labels.ts'

type Config = Parameters<typeof TestBsky.create>[0] & {
  searchTagsHide?: Set<string>
  searchTagsHideAll?: Set<string>
  threadTagsHide?: Set<string>
  threadTagsBumpDown?: Set<string>
}

export type Ours = {
  readonly origin: string
  readonly operatorToken: string
  /** Resolves once the PDS's event `seq` has been sent, and the last of them applied. */
  catchUp: (seq: number | null) => Promise<void>
  /** @throws Error if the operator's request is refused */
  operate: (path: string, body: object) => Promise<void>
  restart: (settings: Record<string, string>) => Promise<void>
  dispose: () => Promise<void>
}

const OPERATOR_TOKEN = 'operator-of-the-suite'
const MAX_WAIT_MS = 15_000
/** For what follows in the background: profiles, handles, counts. */
const SETTLE_MS = Number(process.env['REFERENCE_SUITE_SETTLE_MS'] ?? 250)

type Options = {
  cfg: Config
  serverDid: string
  dataplanePort: number
  labelers: Labelers
}

export async function startOurs(options: Options): Promise<Ours> {
  const { cfg } = options
  const port = await freePort()
  const plc = await startPlcOfToday(cfg.plcUrl, options.labelers.changeDocument)
  const double = await createJetstreamDouble()
  let seen = 0
  const firehose = new Firehose({
    service: cfg.repoProvider,
    idResolver: new IdResolver({ plcUrl: cfg.plcUrl, fetch: globalThis.fetch }),
    unauthenticatedHandles: true,
    getCursor: () => 0,
    subscriptionReconnectDelay: 100,
    handleEvent(event) {
      double.emit(emissionOf(event))
      seen = event.seq
    },
    onError: () => undefined,
  })
  const slipstream = createSlipstream(port, {
    SLIPSTREAM_JETSTREAM_HOSTS: double.url,
    SLIPSTREAM_JETSTREAM_WIRE: 'v1',
    SLIPSTREAM_JETSTREAM_V1_DICTIONARY: double.v1DictionaryUrl,
    SLIPSTREAM_PLC_URL: plc.url,
    ...settingsOf(options),
  })
  await slipstream.start()
  void firehose.start()
  const ours: Ours = {
    origin: slipstream.origin,
    operatorToken: OPERATOR_TOKEN,
    async catchUp(seq) {
      const until = Date.now() + MAX_WAIT_MS
      while (seen < (seq ?? 0) && Date.now() < until) await pause(10)
      const last = double.entries().at(-1)?.event.timeUs ?? 0
      while (appliedUpTo(slipstream.dataDir) < last && Date.now() < until) await pause(20)
      await pause(SETTLE_MS)
    },
    async operate(path, body) {
      const answer = await fetch(`${slipstream.origin}/operator/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${OPERATOR_TOKEN}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
      if (!answer.ok) throw new Error(`/operator/${path}: ${await answer.text()}`)
    },
    async restart(settings) {
      await slipstream.stop()
      Object.assign(slipstream.environment, settings)
      await slipstream.start()
    },
    async dispose() {
      await firehose.destroy()
      await slipstream.dispose()
      await double.close()
      plc.stop()
    },
  }
  return ours
}

function settingsOf({ cfg, serverDid, dataplanePort, labelers }: Options): Record<string, string> {
  const list = (tags?: Set<string>) => [...(tags ?? [])].join(',')
  const media = 'https://bsky.public.url'
  return {
    SLIPSTREAM_ALT_AUDIENCES: serverDid,
    SLIPSTREAM_DATAPLANE_PORT: String(dataplanePort),
    SLIPSTREAM_INDEX_SCOPE: 'network',
    SLIPSTREAM_MAX_MEMBERS: '0',
    SLIPSTREAM_NEW_MEMBERS_PER_HOUR: '0',
    SLIPSTREAM_DATAPLANE_NOTIFICATION_DAYS: '30',
    SLIPSTREAM_FOR_YOU_MB: '0',
    SLIPSTREAM_SERVE_THREADS: '1',
    SLIPSTREAM_OPERATOR_TOKEN: OPERATOR_TOKEN,
    SLIPSTREAM_LABELERS: [labelers.example.did, cfg.modServiceDid].filter(Boolean).join(','),
    SLIPSTREAM_MODERATION_SERVICES: cfg.modServiceDid ?? '',
    SLIPSTREAM_TRUSTED_VERIFIERS: '',
    SLIPSTREAM_SEARCH_TAGS_HIDE: list(cfg.searchTagsHide),
    SLIPSTREAM_SEARCH_TAGS_HIDE_ALL: list(cfg.searchTagsHideAll),
    SLIPSTREAM_THREAD_TAGS_HIDE: list(cfg.threadTagsHide),
    SLIPSTREAM_THREAD_TAGS_BUMP_DOWN: list(cfg.threadTagsBumpDown),
    // It answers for pictures itself, as there, whatever addresses the tests expect.
    SLIPSTREAM_IMAGES: 'own',
    SLIPSTREAM_IMAGE_URL_PATTERN: `${media}/img/{preset}/plain/{did}/{cid}`,
    SLIPSTREAM_VIDEO_PLAYLIST_URL_PATTERN: `${media}/vid/{did}/{cid}/playlist.m3u8`,
    SLIPSTREAM_VIDEO_THUMBNAIL_URL_PATTERN: `${media}/vid/{did}/{cid}/thumbnail.jpg`,
  }
}

/** The stream's place, as written with each batch of events. */
function appliedUpTo(dataDir: string): number {
  const db = new Database(join(dataDir, 'slipstream.sqlite'), { readonly: true })
  const position = db.prepare('SELECT max(time_us) FROM stream_cursors').pluck().get()
  db.close()
  return Number(position ?? 0)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
