// A parent of a media process, to be killed by a test: it prints the process's id once that is up, and waits.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { presets } from '../../../../src/features/media/presets.ts'
import { createMediaProcess } from '../../../../src/features/media/process/media-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'slipstream-media-parent-'))
const from = join(folder, 'no picture')
writeFileSync(from, Buffer.alloc(1000))
const log = { debug: () => undefined, error: () => undefined }
const media = createMediaProcess({ log })
const job = { kind: 'picture', from, to: join(folder, 'to'), preset: presets['avatar']! } as const
await media.run({ ...job, format: 'webp' }, []).catch(() => undefined) // refused, as expected
process.stdout.write(`${media.pid()}\n`)
setInterval(() => undefined, 60_000)
