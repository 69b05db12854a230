// The media process: reads strangers' pictures and videos, and nothing else. It does one job after the
// other, so that whoever kills it for what a job takes ends that job alone. It gives way to the server for
// processor time, is the first that a machine short of memory ends, and ends when the line to the server
// does, however the server ended.

import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { type Job, RefusedBlob, type Report, type Spoken } from './jobs.ts'

const niceness = Number(process.argv[2])
const FIRST_TO_GO = '1000'

// Not process.exit(): that waits for a picture that is being decoded.
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

/** Each kind is loaded when it first comes. */
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

/** What the system may refuse without harm. */
function attempt(action: () => void): void {
  try {
    action()
  } catch {
    // as it was, then
  }
}
