// The media process: reads untrusted pictures and videos, and nothing else. It does one job at a time, so
// that killing it for a job's cost ends only that job. It yields processor time to the server, is the first
// process killed when memory runs out, and exits when its channel to the server closes, however the server
// ended.

import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { type Job, RefusedBlob, type Report, type Spoken } from './jobs.ts'

const niceness = Number(process.argv[2])
const FIRST_TO_GO = '1000'

// Not process.exit(), which waits for a picture being decoded.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', (job: Job) => void perform(job).then(say))
attempt(() => setPriority(niceness))
attempt(() => writeFileSync('/proc/self/oom_score_adj', FIRST_TO_GO)) // Linux
say({ kind: 'ready' })

async function perform(job: Job): Promise<Report> {
  try {
    await work(job)
    return { kind: 'done' }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (!(error instanceof RefusedBlob)) return { kind: 'failed', message }
    return { kind: 'refused', refusal: { error: error.error, message } }
  }
}

/** Loads each kind's code on first use. */
async function work(job: Job): Promise<void> {
  if (job.kind === 'video') {
    const { cutVideo } = await import('./cut-video.ts')
    return cutVideo(job)
  }
  if (job.kind === 'trailer') {
    const { prepareTrailer } = await import('./prepare-trailer.ts')
    return prepareTrailer(job)
  }
  if (job.kind === 'preview') {
    const { renderPreview } = await import('./render-preview.ts')
    return renderPreview(job)
  }
  if (job.kind === 'lower') {
    const { encodeLower } = await import('./encode-lower.ts')
    return encodeLower(job)
  }
  const { renderPicture } = await import('./render-picture.ts')
  await renderPicture(job)
}

function say(spoken: Spoken): void {
  process.send?.(spoken)
}

/** Runs an optional action that the system may refuse. */
function attempt(action: () => void): void {
  try {
    action()
  } catch {
    // Keep the system's default.
  }
}
